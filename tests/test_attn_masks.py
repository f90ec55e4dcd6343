"""Who may look at whom: the two masks, rows that see nothing, biases of -∞, hidden NaN."""

import pytest
import reference
import torch
from torch import nn

import attn
from attn import attention, attention_weights, blockwise_attention, causal_mask, fused_attention, padding_mask

PATHS = {
    "formula": attention,
    "fused": fused_attention,
    "blocks": lambda *a, **k: blockwise_attention(*a, block=2, **k),
}
DTYPES = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
paths = pytest.mark.parametrize("path", PATHS)


def test_the_causal_mask_of_a_square_is_the_lower_triangle():
    assert torch.equal(causal_mask(7), torch.ones(7, 7).tril().bool())
    assert causal_mask(3).dtype == torch.bool and causal_mask(3, device=torch.device("meta")).device.type == "meta"


@pytest.mark.parametrize(("n", "m"), [(3, 7), (7, 3), (1, 5), (5, 1), (0, 3), (3, 0)])
def test_the_causal_mask_is_aligned_to_the_last_query(n, m):
    mask = causal_mask(n, m)
    assert mask.shape == (n, m)
    for i in range(n):
        for j in range(m):
            assert mask[i, j].item() == (j - (m - 1) <= i - (n - 1))


def test_the_last_query_sees_every_key_unlike_with_torch():
    Q, K, V = torch.randn(3, 5), torch.randn(7, 5), torch.randn(7, 2)
    for compute in PATHS.values():
        torch.testing.assert_close(compute(Q, K, V, causal=True)[-1:], compute(Q[-1:], K, V))
    torchs = nn.functional.scaled_dot_product_attention(Q[None], K[None], V[None], is_causal=True)[0]
    assert torch.equal(torchs[0], V[0]) and not torch.allclose(torchs, fused_attention(Q, K, V, causal=True))


def test_padding_hides_what_is_behind_each_length():
    mask = padding_mask(torch.tensor([[2], [5], [0]]), 5)
    assert mask.shape == (3, 1, 1, 5)
    assert mask.flatten(1).tolist() == [[True, True, False, False, False], [True] * 5, [False] * 5]
    assert padding_mask(torch.tensor(3), 5).tolist() == [[True, True, True, False, False]]
    assert padding_mask(torch.tensor([], dtype=torch.long), 5).shape == (0, 1, 5)
    assert padding_mask(torch.tensor([0, 0], dtype=torch.uint8), 0).shape == (2, 1, 0)


@paths
def test_a_padded_sentence_equals_the_sentence_alone(path):
    x, lengths = torch.randn(3, 7, 5), torch.tensor([2, 7, 3])
    together = PATHS[path](x, x, x, mask=padding_mask(lengths, 7))
    for row, output, length in zip(x, together, lengths.tolist(), strict=True):
        alone = row[:length]
        torch.testing.assert_close(output[:length], PATHS[path](alone, alone, alone))


@paths
def test_mask_and_causal_mean_and(path):
    Q, K, V = torch.randn(2, 3, 5), torch.randn(2, 7, 5), torch.randn(2, 7, 11)
    mask = torch.rand(2, 1, 7) > 0.3
    both = PATHS[path](Q, K, V, mask=mask & causal_mask(3, 7))
    torch.testing.assert_close(PATHS[path](Q, K, V, mask=mask, causal=True), both)


@paths
@pytest.mark.parametrize("size", [(2, 3, 7), (1, 3, 7), (2, 1, 7), (2, 3, 1), (1, 1, 7), (1, 1, 1)])
def test_a_mask_of_size_1_means_every_one_of_that_dimension(path, size):
    Q, K, V = torch.randn(2, 3, 5), torch.randn(2, 7, 5), torch.randn(2, 7, 11)
    mask = torch.rand(size) > 0.4
    want = PATHS[path](Q, K, V, mask=mask.expand(2, 3, 7).clone())
    torch.testing.assert_close(PATHS[path](Q, K, V, mask=mask), want)


@paths
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("hidden", ["some", "all", "by causal"])
def test_a_row_that_may_see_nothing_is_zero_and_its_gradients_finite(path, dtype, bias, hidden):
    n, m = 5, 3 if hidden == "by causal" else 7
    Q, K, V = (torch.randn(2, *size, dtype=dtype, requires_grad=True) for size in ((n, 4), (m, 4), (m, 6)))
    mask = torch.ones(2, n, m, dtype=torch.bool)
    if hidden == "some":
        mask[1, 2] = False
    elif hidden == "all":
        mask = torch.zeros(1, 1, 1, dtype=torch.bool)
    options = {"causal": True} if hidden == "by causal" else {"mask": mask}
    if bias:
        options["bias"] = torch.randn(2, n, m, dtype=dtype, requires_grad=True)
    nothing = {"some": (1, slice(2, 3)), "all": (..., slice(None)), "by causal": (..., slice(0, 2))}[hidden]
    output = PATHS[path](Q, K, V, **options)
    assert output.dtype == dtype and output.isfinite().all()
    assert output[*nothing, :].eq(0).all()
    weights = attention_weights(Q, K, **options)
    assert weights[*nothing, :].eq(0).all()
    (output.float() ** 2 + output.float()).sum().backward()
    for x in (Q, K, V, *([options["bias"]] if bias else [])):
        assert x.grad.isfinite().all()
    assert Q.grad[*nothing, :].eq(0).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_layers_give_such_a_row_nothing(dtype):
    layer = attn.MultiHeadAttention(8, 2, bias=False).to(dtype)
    x = torch.randn(3, 5, 8, dtype=dtype, requires_grad=True)
    mask = torch.ones(3, 1, 5, 5, dtype=torch.bool)
    mask[1, :, 2] = False
    output = layer(x, mask=mask)
    assert output[1, 2].eq(0).all() and output[1, 3].ne(0).any()
    assert layer.weights(x, mask=mask)[1, :, 2].eq(0).all()
    output.float().sin().sum().backward()
    assert x.grad.isfinite().all() and all(p.grad.isfinite().all() for p in layer.parameters())
    additive = attn.AdditiveAttention(8, 8, 4).to(dtype)
    output = additive(x, x, x, mask=mask[:, 0])
    assert output[1, 2].eq(0).all() and output.isfinite().all()
    assert additive.weights(x, x, mask=mask[:, 0])[1, 2].eq(0).all()
    output.float().sin().sum().backward()
    assert all(p.grad.isfinite().all() for p in additive.parameters())


@pytest.mark.parametrize("dtype", DTYPES)
def test_hidden_weights_are_exactly_zero_even_where_scores_are_extreme(dtype):
    Q = torch.full((1, 2), 100.0, dtype=dtype)
    K = torch.tensor([[-100.0, -100.0], [100.0, 100.0]], dtype=dtype)
    weights = attention_weights(Q, K, mask=torch.tensor([[True, False]]))
    assert weights.tolist() == [[1.0, 0.0]]


@paths
def test_a_bias_of_minus_infinity_hides_a_key(path):
    Q, K, V = torch.randn(3, 5), torch.randn(7, 5), torch.randn(7, 2)
    mask = torch.rand(3, 7) > 0.4
    mask[:, 0] = True
    bias = torch.zeros(3, 7).masked_fill(~mask, -torch.inf)
    torch.testing.assert_close(PATHS[path](Q, K, V, bias=bias), PATHS[path](Q, K, V, mask=mask))


@paths
def test_a_row_of_nothing_but_minus_infinity_sees_nothing(path):
    Q, K, V = (torch.randn(*size, requires_grad=True) for size in ((3, 5), (7, 5), (7, 2)))
    bias = torch.randn(3, 7)
    bias[1] = -torch.inf
    output = PATHS[path](Q, K, V, bias=bias)
    assert output[1].eq(0).all() and output[0].ne(0).all() and attention_weights(Q, K, bias=bias)[1].eq(0).all()
    output.sin().sum().backward()
    assert all(x.grad.isfinite().all() for x in (Q, K, V))


@paths
@pytest.mark.parametrize("bad", [torch.nan, torch.inf, -torch.inf])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("n", "m"), [(5, 7), (7, 5), (6, 6)])
def test_what_no_query_may_look_at_has_no_influence(path, bad, causal, n, m):
    for seed in range(5):
        dice = torch.Generator().manual_seed(seed)
        Q, K, V = (torch.randn(2, 3, *size, generator=dice) for size in ((n, 4), (m, 4), (m, 4)))
        mask = torch.rand(2, 1, n, m, generator=dice) < 0.3
        mask[:, :, :, 1], mask[:, :, 2] = False, False
        look = mask & causal_mask(n, m) if causal else mask
        blind, unseen = ~look.any(-1)[..., None], ~look.any(-2)[..., None]
        clean = [x.clone().requires_grad_() for x in (Q, K, V)]
        spoiled = [x.clone().requires_grad_() for x in (Q, K, V)]
        parts = [torch.where(which, bad, x) for which, x in zip((blind, unseen, unseen), spoiled, strict=True)]
        want, came = PATHS[path](*clean, mask=mask, causal=causal), PATHS[path](*parts, mask=mask, causal=causal)
        torch.testing.assert_close(came, want)
        weights = [attention_weights(*x[:2], mask=mask, causal=causal) for x in (parts, clean)]
        torch.testing.assert_close(*weights)
        gradients = (torch.autograd.grad(x.sin().sum(), y) for x, y in ((came, spoiled), (want, clean)))
        for a, b in zip(*gradients, strict=True):
            torch.testing.assert_close(a, b)


@paths
def test_a_nan_that_a_query_sees_is_not_lost(path):
    Q, K, V = torch.randn(3, 5), torch.randn(7, 5), torch.randn(7, 2)
    mask = torch.ones(3, 7, dtype=torch.bool)
    mask[:, 6] = False
    for at in range(2):
        tensors = [Q, K.clone(), V.clone()]
        tensors[1 + at][3] = torch.nan
        assert PATHS[path](*tensors, mask=mask).isnan().all()
        assert PATHS[path](*tensors).isnan().all()
    assert PATHS[path](Q * torch.nan, K, V, mask=mask).isnan().all()


def test_nan_padding_leaves_words_alone_in_the_layers():
    x, lengths = torch.randn(2, 5, 8), torch.tensor([3, 5])
    mask = padding_mask(lengths[:, None], 5)
    padded = x.clone()
    padded[0, 3:] = torch.nan
    for module in (attn.MultiHeadAttention(8, 2), attn.TransformerBlock(8, 2)):
        for causal in (False, True):
            came, want = module(padded, mask=mask, causal=causal), module(x, mask=mask, causal=causal)
            torch.testing.assert_close(came[0, :3], want[0, :3])
            torch.testing.assert_close(came[1], want[1])
    additive = attn.AdditiveAttention(8, 8, 4)
    came = additive(x, padded, padded, mask=mask[:, 0])
    torch.testing.assert_close(came, additive(x, x, x, mask=mask[:, 0]))


def test_the_smallest_reports():
    K, mask = torch.tensor([[1.0], [torch.nan]]), torch.tensor([[True, False]])
    for compute in PATHS.values():
        assert compute(torch.ones(1, 1), K, torch.ones(2, 1), mask=mask).tolist() == [[1.0]]
    assert torch.func.vmap(lambda length: padding_mask(length, 1))(torch.tensor([1])).tolist() == [[[True]]]
    torch._dynamo.reset()
    compiled = torch.compile(padding_mask, fullgraph=True, backend="eager")
    assert compiled(torch.tensor([1]), 2).tolist() == [[[True, False]]]
    assert padding_mask(torch.ones(3, device="meta", dtype=torch.long), 5).shape == (3, 1, 5)


@paths
@pytest.mark.parametrize(("n", "m"), [(5, 5), (3, 7)])
def test_what_comes_later_never_changes_what_was(path, n, m):
    Q, K, V = torch.randn(2, n, 5), torch.randn(2, m, 5), torch.randn(2, m, 11)
    before = PATHS[path](Q, K, V, causal=True)
    for i in range(n - 1):
        later = i + m - n + 1
        k, v = K.clone(), V.clone()
        k[:, later:], v[:, later:] = torch.randn(2, m - later, 5), 1e3
        after = PATHS[path](Q, k, v, causal=True)
        torch.testing.assert_close(after[:, : i + 1], before[:, : i + 1])
        assert not torch.allclose(after[:, i + 1], before[:, i + 1])


@paths
@pytest.mark.parametrize("scale", [0, 0.0, -2.0, 0.3])
def test_causal_with_any_scale(path, scale):
    """Torch's own is_causal gives NaN unless the scale is positive."""
    Q, K, V = (torch.randn(2, 5, 4).double() for _ in range(3))
    want = reference.output(Q, K, V, causal=True, scale=scale)
    torch.testing.assert_close(PATHS[path](Q, K, V, causal=True, scale=scale), want)


@paths
@pytest.mark.parametrize("size", [(1, 3, 1, 5, 7), (2, 1, 4, 1, 7), (2, 1, 1, 5, 1), (1, 1, 1, 1, 7), (2, 3, 4, 5, 7)])
def test_masks_and_biases_over_many_leading_dimensions(path, size):
    Q, K, V = (torch.randn(2, 3, 4, length, 2).double() for length in (5, 7, 7))
    mask, bias = torch.rand(size) > 0.3, torch.randn(size).double()
    for options in ({"mask": mask}, {"bias": bias}, {"mask": mask, "bias": bias[0, 0, 0]}, {"bias": bias.sum()}):
        torch.testing.assert_close(PATHS[path](Q, K, V, **options), reference.output(Q, K, V, **options))
