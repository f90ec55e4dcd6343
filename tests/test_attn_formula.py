"""The three ways to compute attention against loops in double precision and against torch: values and gradients."""

import os

import pytest
import reference
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint

from attn import attention, attention_scores, attention_weights, blockwise_attention, causal_mask, fused_attention

PATHS = {
    "formula": attention,
    "fused": fused_attention,
    "blocks of 1": lambda *a, **k: blockwise_attention(*a, block=1, **k),
    "blocks of 3": lambda *a, **k: blockwise_attention(*a, block=3, **k),
    "one block": blockwise_attention,
}
often = settings(deadline=None, derandomize=bool(os.environ.get("CI")), max_examples=100)
seldom = settings(often, max_examples=40)


@st.composite
def cases(draw, leads=((), (2,), (0,), (2, 3), (3, 1, 2))):
    """Q, K, V in float64 and the options; sizes 0 and 1 included, masks and biases of every shape that is allowed."""
    lead = draw(st.sampled_from(leads))
    n, m, d_v = (draw(st.integers(0, 7)) for _ in range(3))
    d_k = draw(st.integers(1, 5))
    dice = torch.Generator().manual_seed(draw(st.integers(0, 2**31)))
    amplitude = draw(st.sampled_from([0.0, 1e-3, 1.0, 1.0, 30.0, 1e4]))

    def normal(*size):
        return torch.randn(size, generator=dice, dtype=torch.float64)

    def some(sizes):
        return [size if draw(st.booleans()) else 1 for size in sizes]

    options = {"causal": draw(st.booleans()), "scale": draw(st.sampled_from([None, None, 0.0, 0.3, -2.0]))}
    if draw(st.booleans()):
        share = draw(st.sampled_from([0.1, 0.5, 0.9]))
        options["mask"] = torch.rand(some((*lead, n, m)), generator=dice) < share
    if draw(st.booleans()):
        options["bias"] = normal(*some((*lead, n, m)[draw(st.integers(0, len(lead) + 2)) :]))
    return normal(*lead, n, d_k) * amplitude, normal(*lead, m, d_k), normal(*lead, m, d_v), options


def near(came, want, tolerance=1e-9):
    """Equal but for rounding, next to the largest number there is."""
    size = max(1.0, float(want.detach().abs().max())) if want.numel() else 1.0
    torch.testing.assert_close(came / size, want / size, atol=tolerance, rtol=0)


def needing_gradients(Q, K, V, options):
    tensors = [x.clone().requires_grad_() for x in (Q, K, V)]
    if "bias" in options:
        options = options | {"bias": options["bias"].clone().requires_grad_()}
    return tensors, options


@pytest.mark.parametrize("path", PATHS)
@given(case=cases())
@often
def test_values_are_those_of_the_loops(path, case):
    Q, K, V, options = case
    near(PATHS[path](Q, K, V, **options), reference.output(Q, K, V, **options))


@given(case=cases())
@often
def test_weights_are_those_of_the_loops(case):
    Q, K, _, options = case
    weights = attention_weights(Q, K, **options)
    torch.testing.assert_close(weights, reference.weights(Q, K, **options), atol=1e-9, rtol=1e-9)
    sums = weights.sum(-1)
    assert ((sums - 1).abs().lt(1e-9) | sums.eq(0)).all()


@pytest.mark.parametrize("path", PATHS)
@given(case=cases())
@seldom
def test_gradients_are_those_of_the_loops(path, case):
    (Q, K, V), options = needing_gradients(*case)
    output = PATHS[path](Q, K, V, **options)
    G = torch.linspace(-1, 1, output.numel(), dtype=torch.float64).reshape(output.shape)
    (output * G).sum().backward()
    with torch.no_grad():
        want = reference.gradients(Q, K, V, G, **options)
    for x, wanted in zip((Q, K, V), want, strict=False):
        near(x.grad, wanted)
    if "bias" in options and output.numel() and K.shape[-2]:  # without any score, torch leaves the gradient out
        near(options["bias"].grad, want[3].sum_to_size(options["bias"].shape))


@pytest.mark.parametrize("path", PATHS)
@given(case=cases(leads=((2, 3),)))
@seldom
def test_values_and_gradients_are_those_of_torch(path, case):
    (Q, K, V), options = needing_gradients(*case)
    look = options.get("mask")
    if options["causal"]:
        triangle = causal_mask(Q.shape[-2], K.shape[-2])
        look = triangle if look is None else look & triangle
    added = options.get("bias")
    if look is not None:
        shape = (*Q.shape[:-1], K.shape[-2])
        added = (Q.new_zeros(()) if added is None else added).expand(shape).masked_fill(~look, -torch.inf)
    elif added is not None:
        added = added.expand(*Q.shape[:-1], K.shape[-2])
    want = F.scaled_dot_product_attention(Q, K, V, attn_mask=added, scale=options["scale"])
    came = PATHS[path](Q, K, V, **options)
    near(came, want)
    mine, torchs = (torch.autograd.grad(x.sin().sum(), [Q, K, V]) for x in (came, want))
    for a, b in zip(mine, torchs, strict=True):
        near(a, b)


@pytest.mark.parametrize("path", PATHS)
def test_the_articles_example_by_hand(path):
    Q = K = torch.eye(2)
    V = torch.tensor([[10.0], [20.0]])
    near, far = 0.669762, 0.330238  # e^0.7071 / (e^0.7071 + 1), and the rest
    torch.testing.assert_close(attention_scores(Q, K), torch.eye(2) * 0.707107, atol=1e-6, rtol=0)
    torch.testing.assert_close(attention_weights(Q, K), torch.tensor([[near, far], [far, near]]), atol=1e-6, rtol=0)
    want = torch.tensor([[near * 10 + far * 20], [far * 10 + near * 20]])
    torch.testing.assert_close(PATHS[path](Q, K, V), want, atol=1e-4, rtol=0)


@pytest.mark.parametrize("path", PATHS)
def test_a_second_example_by_hand_where_nothing_is_square(path):
    Q = torch.tensor([[1.0, 2.0]])
    K = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    V = torch.tensor([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]])
    powers = [2.718281828459045 ** (score / 2**0.5) for score in (1, 2, 3)]
    w = [power / sum(powers) for power in powers]
    want = torch.tensor([[w[0] + 2 * w[2], w[1] + 2 * w[2]]])
    torch.testing.assert_close(PATHS[path](Q, K, V), want)


def test_the_scale_is_one_over_the_root_of_d_k():
    Q, K = torch.randn(3, 16), torch.randn(5, 16)
    torch.testing.assert_close(attention_scores(Q, K), Q @ K.T / 4)
    torch.testing.assert_close(attention_scores(Q, K, scale=0.5), Q @ K.T / 2)
    torch.testing.assert_close(attention_scores(Q, K, scale=2), Q @ K.T * 2)


def test_attention_is_literally_its_weights_times_v():
    Q, K, V = torch.randn(2, 3, 5), torch.randn(2, 7, 5), torch.randn(2, 7, 11)
    options = {"mask": torch.rand(2, 1, 7) > 0.3, "causal": True, "bias": torch.randn(3, 7), "scale": 0.7}
    assert torch.equal(attention(Q, K, V, **options), attention_weights(Q, K, **options) @ V)


@pytest.mark.parametrize("path", PATHS)
def test_shifting_all_scores_of_a_row_changes_nothing(path):
    Q, K, V = torch.randn(3, 5), torch.randn(7, 5), torch.randn(7, 2)
    shift = torch.randn(3, 1) * 50
    torch.testing.assert_close(PATHS[path](Q, K, V, bias=shift), PATHS[path](Q, K, V), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("path", PATHS)
def test_the_order_of_keys_and_of_queries(path):
    Q, K, V = torch.randn(3, 5), torch.randn(7, 5), torch.randn(7, 2)
    keys, queries = torch.randperm(7), torch.tensor([2, 0, 1])
    output = PATHS[path](Q, K, V)
    torch.testing.assert_close(PATHS[path](Q, K[keys], V[keys]), output)
    torch.testing.assert_close(PATHS[path](Q[queries], K, V), output[queries])


@pytest.mark.parametrize("path", PATHS)
def test_the_output_lies_within_the_values(path):
    Q, K, V = torch.randn(2, 3, 5) * 10, torch.randn(2, 7, 5), torch.rand(2, 7, 11)
    output = PATHS[path](Q, K, V)
    assert (output >= V.amin(-2, keepdim=True) - 1e-6).all() and (output <= V.amax(-2, keepdim=True) + 1e-6).all()


@pytest.mark.parametrize("path", PATHS)
def test_inputs_are_left_as_they_are(path):
    tensors = [torch.randn(2, 3, 5), torch.randn(2, 7, 5), torch.randn(2, 7, 11)]
    mask, bias = torch.rand(2, 3, 7) > 0.5, torch.randn(2, 3, 7)
    before = [x.clone() for x in (*tensors, mask, bias)]
    PATHS[path](*tensors, mask=mask, bias=bias, causal=True)
    assert all(torch.equal(a, b) for a, b in zip(before, (*tensors, mask, bias), strict=True))


@pytest.mark.parametrize("block", [1, 2, 3, 4, 5, 7, 8, 100])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("n", "m"), [(7, 7), (3, 7), (7, 3), (8, 4)])
def test_blocks_of_every_size_meet_the_diagonal(block, causal, n, m):
    Q, K, V = torch.randn(2, n, 5).double(), torch.randn(2, m, 5).double(), torch.randn(2, m, 2).double()
    options = {"causal": causal, "mask": torch.rand(2, n, m) > 0.3, "bias": torch.randn(n, m).double()}
    came = blockwise_attention(Q, K, V, block=block, **options)
    torch.testing.assert_close(came, reference.output(Q, K, V, **options), atol=1e-12, rtol=0)


def test_blocks_at_a_usual_size():
    Q, K, V = (torch.randn(2, 300, 4).double() for _ in range(3))
    for options in ({}, {"causal": True}, {"causal": True, "mask": torch.rand(1, 300, 300) > 0.5}):
        torch.testing.assert_close(blockwise_attention(Q, K, V, **options), attention(Q, K, V, **options))


def test_blockwise_never_holds_all_scores():
    largest = 0

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(self, fn, types, args=(), kwargs=None):
            nonlocal largest
            result = fn(*args, **(kwargs or {}))
            if isinstance(result, torch.Tensor):
                largest = max(largest, result.numel())
            return result

    Q, K, V = torch.randn(64, 4), torch.randn(96, 4), torch.randn(96, 4)
    with Watch():
        blockwise_attention(Q, K, V, causal=True, mask=torch.ones(1, 96, dtype=torch.bool), block=8)
    assert largest <= 64 * 96  # the mask, expanded without memory; no other tensor is as large
    with Watch():
        largest = 0
        blockwise_attention(Q, K, V, causal=True, block=8)
    assert largest <= 96 * 4


def kept_for_gradients(call):
    """How many numbers autograd keeps, each tensor once."""
    kept = {}

    def pack(x):
        kept[x.untyped_storage().data_ptr()] = x.untyped_storage().nbytes() // x.element_size()
        return x

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda x: x):
        output = call()
    return sum(kept.values()), output


def test_with_gradients_blockwise_keeps_all_scores_unless_checkpointed_as_documented():
    def in_parts(Q, K, V):
        parts = [checkpoint(blockwise_attention, q, K, V, use_reentrant=False) for q in Q.split(16)]
        return torch.cat(parts)

    kept = {}
    for name, call in (("plain", lambda *x: blockwise_attention(*x, block=16)), ("in parts", in_parts)):
        for n in (64, 128):
            tensors = [torch.randn(n, 4, dtype=torch.float64, requires_grad=True) for _ in range(3)]
            kept[name, n], output = kept_for_gradients(lambda: call(*tensors))  # noqa: B023
            mine = torch.autograd.grad(output.sin().sum(), tensors)
            want = torch.autograd.grad(attention(*tensors).sin().sum(), tensors)
            for a, b in zip(mine, want, strict=True):
                torch.testing.assert_close(a, b)
    assert kept["plain", 128] > 128 * 128 and kept["plain", 128] > 3 * kept["plain", 64]
    assert kept["in parts", 128] < 128 * 32 and kept["in parts", 128] <= 2.1 * kept["in parts", 64]
