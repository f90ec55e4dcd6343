"""What torch does with functions: compile, vmap, autocast, other precisions, other memory layouts."""

import copy
import io
import pickle

import pytest
import torch
from torch.func import functional_call, grad, vmap

import attn

PATHS = {
    "formula": attn.attention,
    "fused": attn.fused_attention,
    "blocks": lambda *a, **k: attn.blockwise_attention(*a, block=2, **k),
}
paths = pytest.mark.parametrize("path", PATHS)


def some(dtype=torch.float32, lead=(2, 3)):
    return [torch.randn(*lead, *size).to(dtype) for size in ((3, 5), (7, 5), (7, 4))]


OPTIONS = {
    "plain": {},
    "causal": {"causal": True},
    "mask": {"mask": torch.rand(2, 1, 3, 7) > 0.3},
    "all": {"mask": torch.rand(2, 1, 1, 7) > 0.3, "causal": True, "bias": torch.randn(3, 3, 7), "scale": 0.5},
}


@paths
@pytest.mark.parametrize("options", OPTIONS)
def test_it_compiles_into_one_graph(path, options):
    torch._dynamo.reset()
    compiled = torch.compile(PATHS[path], backend="aot_eager", fullgraph=True)
    tensors = some()
    torch.testing.assert_close(compiled(*tensors, **OPTIONS[options]), PATHS[path](*tensors, **OPTIONS[options]))


@pytest.mark.parametrize("module", [attn.SelfAttention(8), attn.MultiHeadAttention(8, 4, num_kv_heads=2)])
def test_layers_compile_into_one_graph(module):
    torch._dynamo.reset()
    compiled = torch.compile(module, backend="aot_eager", fullgraph=True)
    x = torch.randn(2, 5, 8)
    torch.testing.assert_close(compiled(x), module(x))
    if isinstance(module, attn.MultiHeadAttention):
        torch.testing.assert_close(compiled(x, causal=True), module(x, causal=True))


def test_lengths_that_change_stay_in_one_graph():
    torch._dynamo.reset()
    compiled = torch.compile(attn.fused_attention, fullgraph=True, dynamic=True, backend="eager")
    assert compiled(torch.ones(2, 1), torch.ones(3, 1), torch.ones(3, 1), causal=True).tolist() == [[1.0]] * 2


@paths
def test_compiled_gradients(path):
    torch._dynamo.reset()
    compiled = torch.compile(PATHS[path], backend="aot_eager", fullgraph=True)
    leaves = [x.requires_grad_() for x in some()]
    mine, want = (torch.autograd.grad(call(*leaves, **OPTIONS["all"]).sin().sum(), leaves)
                  for call in (compiled, PATHS[path]))
    for a, b in zip(mine, want, strict=True):
        torch.testing.assert_close(a, b)


def test_compiled_code_refuses_too():
    torch._dynamo.reset()
    compiled = torch.compile(attn.attention, backend="eager")
    with pytest.raises(ValueError, match="query and key must share d_k"):
        compiled(torch.randn(3, 4), torch.randn(5, 3), torch.randn(5, 3))


@pytest.mark.parametrize("path", ["formula", "fused"])
@pytest.mark.parametrize("dynamic", [False, True])
def test_it_exports_and_traces_other_lengths(path, dynamic):
    torch._dynamo.reset()
    compiled = torch.compile(PATHS[path], backend="eager", dynamic=dynamic)
    for n in (3, 5, 4):
        Q, K, V = torch.randn(2, n, 4), torch.randn(2, n + 2, 4), torch.randn(2, n + 2, 3)
        torch.testing.assert_close(compiled(Q, K, V, causal=True), PATHS[path](Q, K, V, causal=True))


@paths
@pytest.mark.parametrize("options", OPTIONS)
def test_vmap_over_any_input(path, options):
    tensors, options = some(lead=(2, 3)), OPTIONS[options]
    want = torch.stack([PATHS[path](*(x * i for x in tensors), **options) for i in range(4)])
    stacked = [torch.stack([x * i for i in range(4)]) for x in tensors]
    torch.testing.assert_close(vmap(lambda Q, K, V: PATHS[path](Q, K, V, **options))(*stacked), want)
    for at in range(3):
        dims = [None] * 3
        dims[at] = 0
        mixed = [stacked[i] if i == at else tensors[i] for i in range(3)]
        apart = [PATHS[path](*(x[i] if j == at else x for j, x in enumerate(mixed)), **options) for i in range(4)]
        together = vmap(lambda Q, K, V: PATHS[path](Q, K, V, **options), in_dims=tuple(dims))(*mixed)
        torch.testing.assert_close(together, torch.stack(apart))


@paths
def test_vmap_over_the_mask_alone(path):
    tensors, masks = some(), torch.rand(4, 2, 3, 3, 7) > 0.3
    want = torch.stack([PATHS[path](*tensors, mask=mask) for mask in masks])
    torch.testing.assert_close(vmap(lambda mask: PATHS[path](*tensors, mask=mask))(masks), want)


@paths
def test_gradients_of_each_sample(path):
    tensors = some(torch.float64, (4,))
    per_sample = vmap(grad(lambda Q, K, V: PATHS[path](Q, K, V, causal=True).sin().sum(), argnums=(0, 1, 2)))(*tensors)
    needing = [x.clone().requires_grad_() for x in tensors]
    PATHS[path](*needing, causal=True).sin().sum().backward()
    for mine, x in zip(per_sample, needing, strict=True):
        torch.testing.assert_close(mine, x.grad)


@pytest.mark.parametrize("path", ["formula", "blocks"])
def test_second_derivatives(path):
    tensors = [x.requires_grad_() for x in some(torch.float64, (2,))]
    assert torch.autograd.gradgradcheck(lambda *x: PATHS[path](*x, causal=True), tensors)


@paths
def test_autocast(path):
    tensors, bias = some(), torch.randn(3, 3, 7)
    want = PATHS[path](*tensors, bias=bias, causal=True)
    with torch.autocast("cpu", torch.bfloat16):
        came = PATHS[path](*tensors, bias=bias, causal=True)
    torch.testing.assert_close(came.float(), want, atol=0.05, rtol=0.05)
    assert came.dtype == torch.bfloat16
    Q, K, V = tensors
    with torch.autocast("cpu", torch.bfloat16):  # as after a norm of queries and keys, which stays in float32
        mixed = PATHS[path](Q, K, V.bfloat16(), bias=bias, causal=True)
    torch.testing.assert_close(mixed, came)


@pytest.mark.parametrize(
    "module",
    [attn.SelfAttention(8), attn.MultiHeadAttention(8, 2), attn.TransformerBlock(8, 2)],
    ids=lambda module: type(module).__name__,
)
def test_layers_under_autocast(module):
    x = torch.randn(2, 5, 8)
    options = {} if isinstance(module, attn.SelfAttention) else {"bias": attn.alibi(2, 5, 5), "causal": True}
    with torch.autocast("cpu", torch.bfloat16):
        came = module(x, **options)
        module(x.bfloat16(), **options)
        came.float().sum().backward()
        if isinstance(module, attn.MultiHeadAttention):
            weights = module.weights(x, **options)
            torch.testing.assert_close(weights.float(), module.weights(x, **options).float())
    torch.testing.assert_close(came.float(), module(x, **options), atol=0.05, rtol=0.05)


@paths
@pytest.mark.parametrize(("dtype", "digits"), [(torch.float16, 5e-3), (torch.bfloat16, 4e-2), (torch.float64, 1e-6)])
@pytest.mark.parametrize("options", ["plain", "causal", "mask"])
def test_other_precisions(path, dtype, digits, options):
    tensors = some()
    came = PATHS[path](*(x.to(dtype) for x in tensors), **OPTIONS[options])
    assert came.dtype == dtype
    torch.testing.assert_close(came.float(), PATHS[path](*tensors, **OPTIONS[options]), atol=digits, rtol=digits)


@paths
def test_large_scores_in_half_precision_are_scaled_before_they_overflow(path):
    d_k = 64
    Q = torch.full((2, d_k), 40.0, dtype=torch.float16)  # the product is 102 400, the score 12 800
    K, V = torch.stack([Q[0], -Q[0], Q[0] * 0]), torch.eye(3, dtype=torch.float16)
    assert PATHS[path](Q, K, V).tolist() == [[1.0, 0.0, 0.0]] * 2
    assert attn.attention_scores(Q, K).isfinite().all()


@paths
@pytest.mark.parametrize("options", OPTIONS)
def test_memory_layout_does_not_matter(path, options):
    Q, K, V = some()
    want = PATHS[path](Q, K, V, **OPTIONS[options])
    turned = [x.mT.contiguous().mT for x in (Q, K, V)]
    swapped = [x.transpose(0, 1).contiguous().transpose(0, 1) for x in (Q, K, V)]
    strided = [torch.stack([x, x], dim=-1).flatten(-2)[..., ::2] for x in (Q, K, V)]
    for tensors in (turned, swapped, strided):
        torch.testing.assert_close(PATHS[path](*tensors, **OPTIONS[options]), want)
    one = [x[:1].expand(2, -1, -1, -1) for x in (Q, K, V)]
    mine = PATHS[path](*one, **OPTIONS[options])
    torch.testing.assert_close(mine, PATHS[path](*(x.clone() for x in one), **OPTIONS[options]))


@pytest.mark.parametrize("module", [attn.MultiHeadAttention(8, 2), attn.TransformerBlock(8, 2), attn.SelfAttention(8)])
def test_layers_are_ordinary_modules(module):
    x = torch.randn(3, 5, 8)
    state = {name: p.detach() for name, p in module.named_parameters()}
    torch.testing.assert_close(functional_call(module, state, (x,)), module(x))
    file = io.BytesIO()
    torch.save(module.state_dict(), file)
    file.seek(0)
    twin = copy.deepcopy(module)
    twin.load_state_dict(torch.load(file))
    assert torch.equal(twin(x), module(x)) and torch.equal(pickle.loads(pickle.dumps(module))(x), module(x))
    assert module.double()(x.double()).dtype == torch.float64
    module.float()


def test_the_global_generator_is_left_alone():
    state = torch.get_rng_state()
    Q, K, V = (torch.ones(3, 4) for _ in range(3))
    for compute in PATHS.values():
        compute(Q, K, V, causal=True)
    attn.sinusoidal(3, 4), attn.rope(Q), attn.alibi(2, 3, 3)
    assert torch.equal(state, torch.get_rng_state())
