"""Every public name in each piece of machinery that people put around attention: it works, or is refused in words.

What is found is the table of the page on the API, in both languages: a row that differs is printed as it should be.
"""

import copy
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.ao.quantization import quantize_dynamic
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.utils import parametrizations, prune

import attn

PAGES = [Path(__file__).parents[1] / "docs" / language / "api.md" for language in ("zh", "en")]


@dataclass(frozen=True)
class Subject:
    """How a public name is called: with tensors that may be differentiated, and with others."""

    make: Callable  # from the layer, if it is one, a function of the tensors
    floats: Callable  # (n, m) → tensors
    others: Callable = lambda n, m: ()
    layer: nn.Module | None = None
    hiding: Callable | None = None  # as make, but the function takes the tensors and a mask alone

    def __call__(self, *given):
        return self.make(self.layer)(*given)

    def tensors(self, n=5, m=7):
        return (*self.floats(n, m), *self.others(n, m))


def normal(*size):
    return torch.randn(size, generator=torch.Generator().manual_seed(sum(size)))


def words(n, m):
    return (normal(2, n, 12),)


def queries_keys(n, m):
    return normal(2, 3, n, 4), normal(2, 3, m, 4)


def queries_keys_values(n, m):
    return *queries_keys(n, m), normal(2, 3, m, 4)


def mask_and_bias(n, m):
    return torch.arange(m)[None, None, None] % 3 != 2, normal(3, n, m)


def path(f):
    def everything(Q, K, V, mask, bias):
        return f(Q, K, V, causal=True), f(Q, K, V, mask=mask, causal=True), f(Q, K, V, mask=mask, bias=bias, scale=0.7)

    hiding = lambda _: lambda Q, K, V, mask: f(Q, K, V, mask=mask)  # noqa: E731
    return Subject(lambda _: everything, queries_keys_values, mask_and_bias, hiding=hiding)


def masked(Q, K, mask, bias):
    return attn.attention_weights(Q, K, causal=True), attn.attention_weights(Q, K, mask=mask, bias=bias, scale=0.7)


def blocks(*given, **options):
    return attn.blockwise_attention(*given, block=4, **options)


def masked_words(call):
    def everything(x, mask, bias):
        return call(x), call(x, causal=True), call(x, mask=mask, causal=True, bias=bias)

    return everything


def words_masked(make):
    return lambda layer: lambda x, mask: make(layer)(x, mask=mask)


def decoded(x):
    """The words of x in two parts, by way of a cache."""
    cache, parts = attn.KVCache(x.shape[-2]), []
    for part in (slice(0, 2), slice(2, None)):
        q = attn.rope(x[:, part], cache.length)
        parts.append(attn.attention(q, *cache.append(q, x[:, part]), causal=True))
    return torch.cat(parts, dim=-2)


def itself(layer):
    return layer


torch.manual_seed(0)
SUBJECTS = {
    "AdditiveAttention": Subject(
        lambda layer: lambda Q, K, V, mask, _: (layer(Q, K, V), layer(Q, K, V, mask=mask)),
        queries_keys_values, mask_and_bias, attn.AdditiveAttention(4, 4, 5),
        lambda layer: lambda Q, K, V, mask: layer(Q, K, V, mask=mask),
    ),
    "KVCache": Subject(lambda _: decoded, words),
    "MultiHeadAttention": Subject(
        masked_words, words, lambda n, m: mask_and_bias(n, n), attn.MultiHeadAttention(12, 3), words_masked(itself)
    ),
    "MultiHeadAttention.weights": Subject(
        lambda layer: masked_words(layer.weights), words, lambda n, m: mask_and_bias(n, n),
        attn.MultiHeadAttention(12, 3), words_masked(lambda layer: layer.weights),
    ),
    "SelfAttention": Subject(itself, words, layer=attn.SelfAttention(12)),
    "TransformerBlock": Subject(
        masked_words, words, lambda n, m: mask_and_bias(n, n), attn.TransformerBlock(12, 3), words_masked(itself)
    ),
    "alibi": Subject(lambda _: lambda x: attn.alibi(3, x.shape[-2], x.shape[-2] + 2), words),
    "attention": path(attn.attention),
    "attention_scores": Subject(lambda _: attn.attention_scores, queries_keys),
    "attention_weights": Subject(
        lambda _: masked, queries_keys, mask_and_bias,
        hiding=lambda _: lambda Q, K, V, mask: attn.attention_weights(Q, K, mask=mask),
    ),
    "blockwise_attention": path(blocks),
    "causal_mask": Subject(lambda _: lambda x: attn.causal_mask(x.shape[-2], x.shape[-2] + 2), words),
    "fused_attention": path(attn.fused_attention),
    "padding_mask": Subject(
        lambda _: lambda x, lengths: attn.padding_mask(lengths, x.shape[-2]), words,
        lambda n, m: (torch.tensor([2, 3]),),
    ),
    "rope": Subject(lambda _: lambda x: attn.rope(x, x.shape[-2]), words),
    "sinusoidal": Subject(lambda _: lambda x: attn.sinusoidal(x.shape[-2], x.shape[-1]), words),
}
FREE = {"alibi", "causal_mask", "sinusoidal"}  # made of sizes alone
CONSTANT = {*FREE, "padding_mask"}  # with nothing to differentiate
KERNEL = r"not been implemented yet|is not implemented"  # what torch says of its fused kernels
CACHE = "key and value must not require gradients: use the cache under torch.no_grad"
REFUSED = {  # by name and machine, in which words
    **{(name, machine): KERNEL for name in ("fused_attention", "MultiHeadAttention", "TransformerBlock")
       for machine in ("jvp", "second")},
    ("KVCache", "per_sample"): CACHE,
    ("KVCache", "second"): CACHE,
    ("blockwise_attention", "compile"): "fullgraph=True|limit reached",  # at the ninth graph, by torch
    ("blockwise_attention", "export"): "n and m must be known to count the blocks",
}


def flat(result):
    return result if isinstance(result, tuple) else (result,)


def close(came, want, **tolerance):
    for a, b in zip(flat(came), flat(want), strict=True):
        torch.testing.assert_close(a, b, **tolerance)


def total(subject, floats, others):
    """One number that depends on all that comes out."""
    return sum(x.sin().sum() for x in flat(subject(*floats, *others)))


def doubled(subject):
    """The same in double precision, for differences."""
    layer, both = copy.deepcopy(subject.layer), (subject.floats(5, 7), subject.others(5, 7))
    wide = [[x.double() if x.is_floating_point() else x for x in xs] for xs in both]
    return Subject(subject.make, subject.floats, layer=layer and layer.double()), *wide


# The machines, in the order of the columns.


def compiled(subject):
    """One graph for n = m and one for the others, if not one for all: torch gives up at the ninth."""
    torch._dynamo.reset()
    graphs = []
    backend = lambda graph, _: graphs.append(graph) or graph.forward  # noqa: E731
    call = torch.compile(subject.make(subject.layer), fullgraph=True, dynamic=True, backend=backend)
    for n, m in ((5, 7), (6, 6), (4, 9), (4, 5), (4, 6), (5, 8), (5, 6), (6, 7), (6, 8), (7, 8)):
        close(call(*subject.tensors(n, m)), subject(*subject.tensors(n, m)))
    assert len(graphs) <= 2


class Program(nn.Module):
    """What torch.export takes."""

    def __init__(self, subject):
        super().__init__()
        self.layer, self.call = subject.layer, subject.make(subject.layer)

    def forward(self, *given):
        return self.call(*given)


def exported(subject):
    """Into a program for all lengths."""
    n, m = torch.export.Dim("n", min=4, max=64), torch.export.Dim("m", min=4, max=64)
    given = subject.tensors(5, 7)
    shapes = tuple({i: {5: n, 7: m}[size] for i, size in enumerate(x.shape) if size in (5, 7)} or None for x in given)
    program = torch.export.export(Program(subject), given, dynamic_shapes=(shapes,), strict=False).module()
    for lengths in ((5, 7), (8, 9)):
        close(program(*subject.tensors(*lengths)), subject(*subject.tensors(*lengths)))


def mapped(subject):
    """Over the tensors, and over masks, biases and lengths with them."""
    floats, others = subject.floats(5, 7), subject.others(5, 7)
    for fixed in ({0}, set(range(len(others)))):
        dims = (*[0] * len(floats), *(None if i in fixed else 0 for i in range(len(others))))
        one, other = (*floats, *others), tuple(x.flip(-1) for x in (*floats, *others))
        other = tuple(a if dim is None else b for a, b, dim in zip(one, other, dims, strict=True))
        given = [a if dim is None else torch.stack([a, b]) for a, b, dim in zip(one, other, dims, strict=True)]
        came = torch.func.vmap(subject.make(subject.layer), in_dims=dims)(*given)
        for i, apart in enumerate((subject(*one), subject(*other))):
            close(tuple(x[i] for x in flat(came)), apart)


def per_sample(subject):
    """vmap of a gradient."""
    floats, others = subject.floats(5, 7), subject.others(5, 7)
    stacks = [torch.stack([x, x * 0.5]) for x in floats]
    gradient = torch.func.grad(lambda *xs: total(subject, xs, others), argnums=tuple(range(len(floats))))
    came = torch.func.vmap(gradient)(*stacks)
    for i in range(2):
        leaves = [x[i].clone().requires_grad_() for x in stacks]
        close(tuple(x[i] for x in came), torch.autograd.grad(total(subject, leaves, others), leaves))


def forward_mode(subject):
    """The slope along one way, against a difference."""
    subject, floats, others = doubled(subject)
    ways, h = [x.cos() for x in floats], 1e-5
    _, came = torch.func.jvp(lambda *xs: total(subject, xs, others), tuple(floats), tuple(ways))
    ahead, behind = ([x + s * h * way for x, way in zip(floats, ways, strict=True)] for s in (1, -1))
    with torch.no_grad():
        want = (total(subject, ahead, others) - total(subject, behind, others)) / (2 * h)
    torch.testing.assert_close(came, want, rtol=1e-5, atol=1e-6)


def second(subject):
    """The gradient of a slope, against a difference of slopes."""
    subject, floats, others = doubled(subject)
    ways, h = [x.cos() for x in floats], 1e-5

    def slope(xs, **options):
        leaves = [x.clone().requires_grad_() for x in xs]
        gradients = torch.autograd.grad(total(subject, leaves, others), leaves, **options)
        return sum((way * g).sum() for way, g in zip(ways, gradients, strict=True)), leaves

    along, leaves = slope(floats, create_graph=True)
    came = torch.autograd.grad(along, leaves)
    ahead, behind = (slope([x + s * h * way for x, way in zip(floats, ways, strict=True)])[0] for s in (1, -1))
    curve = sum((way * x).sum() for way, x in zip(ways, came, strict=True))
    torch.testing.assert_close(curve, (ahead - behind).detach() / (2 * h), rtol=1e-5, atol=1e-6)


def autocast(subject):
    """What torch multiplies comes out in the dtype of autocast; positions, masks and sums with x as outside."""
    given = subject.tensors()
    want = flat(subject(*given))
    with torch.autocast("cpu", torch.bfloat16):
        came = flat(subject(*given))
    kept = isinstance(subject.layer, attn.TransformerBlock) or subject is SUBJECTS["rope"]
    for a, b in zip(came, want, strict=True):
        assert a.dtype == (b.dtype if kept or subject in map(SUBJECTS.get, CONSTANT) else torch.bfloat16)
        torch.testing.assert_close(a.to(b.dtype), b, atol=0.1, rtol=0.1)


def inference(subject):
    """Inference mode before, within and after the rest, each with tensors of the other."""
    given = subject.tensors()
    want = subject(*given)
    with torch.inference_mode():
        close(subject(*given), want)
        inner = [x.clone() for x in given]
    with torch.no_grad():
        close(subject(*inner), want)
        with torch.inference_mode():
            close(subject(*inner), want)
    close(subject(*given), want)


def meta(subject):
    """On a device without numbers."""
    given, layer = [x.to("meta") for x in subject.tensors()], copy.deepcopy(subject.layer)
    with torch.device("meta"):
        came = flat(subject.make(layer and layer.to("meta"))(*given))
    for a, b in zip(came, flat(subject(*subject.tensors())), strict=True):
        assert a.device.type == "meta" and a.shape == b.shape and a.dtype == b.dtype


def defaults(subject):
    """Torch's defaults are another device and dtype: what has an input follows it, the rest follows torch."""
    given = subject.tensors()
    want = flat(subject(*given))
    free = subject in map(SUBJECTS.get, FREE)
    with torch.device("meta"):
        came = flat(subject(*given))
    for a, b in zip(came, want, strict=True):
        assert a.device.type == "meta" if free else torch.equal(a, b)
    torch.set_default_dtype(torch.float64)
    try:
        came = flat(subject(*given))
    finally:
        torch.set_default_dtype(torch.float32)
    for a, b in zip(came, want, strict=True):
        assert a.dtype == (torch.float64 if free and b.is_floating_point() else b.dtype)
        torch.testing.assert_close(a, b, check_dtype=False)


def hidden(subject):
    """NaN and infinity where no query may look: the rest is as if it were not there, gradients as well."""
    hiding = subject.hiding(subject.layer)
    if subject.floats is words:
        x, kept = subject.floats(5, 7)[0], torch.arange(5) < 3
        look = (kept & kept[:, None])[None, None]
        want = hiding(x[:, :3], None)
        for bad in (torch.nan, torch.inf, -torch.inf):
            came = hiding(torch.where(kept[:, None], x, bad), look)
            close(came[..., :3, : want.shape[-1]], want)
        return
    Q, K, V = queries_keys_values(5, 7)
    seen, kept = torch.arange(5)[:, None] < 3, torch.arange(7)[:, None] < 4
    leaves = [x.clone().requires_grad_() for x in (Q[..., :3, :], K[..., :4, :], V[..., :4, :])]
    want = hiding(*leaves, None)
    slopes = torch.autograd.grad(want.sin().sum(), leaves, allow_unused=True)
    for bad in (torch.nan, torch.inf, -torch.inf):
        more = [x.clone().requires_grad_() for x in (Q, K, V)]
        spoiled = [torch.where(which, x, bad) for which, x in zip((seen, kept, kept), more, strict=True)]
        came = hiding(*spoiled, (seen & kept.mT)[None, None])
        close(came[..., :3, : want.shape[-1]], want)
        assert came[..., 3:, :].eq(0).all()
        if slopes[2] is None or subject.layer:  # no values, or a layer that multiplies by what is in the padding
            continue
        for a, b in zip(torch.autograd.grad(came.sin().sum(), more), slopes, strict=True):
            close(a[..., : b.shape[-2], :], b)
            assert a[..., b.shape[-2] :, :].eq(0).all()


class Adapter(nn.Module):
    """A projection within another module."""

    def __init__(self, inner):
        super().__init__()
        self.inner, self.scale = inner, nn.Parameter(torch.ones(()))

    def forward(self, x):
        return self.inner(x) * self.scale


def changed(subject):
    """Projections that are wrapped, parametrized, pruned or quantized."""
    given, want = subject.tensors(), subject(*subject.tensors())

    def with_each(change):
        layer = copy.deepcopy(subject.layer)
        for module in [*layer.modules()]:
            for name, inner in [*module.named_children()]:
                if type(inner) is nn.Linear:
                    setattr(module, name, change(inner))
        return layer

    close(subject.make(with_each(Adapter))(*given), want)
    close(subject.make(with_each(parametrizations.weight_norm))(*given), want)
    pruned = with_each(lambda linear: prune.l1_unstructured(linear, "weight", 0.0))
    close(subject.make(pruned)(*given), want)
    wide = [x.double() if x.is_floating_point() else x for x in given]
    close(subject.make(pruned.double())(*wide), want, check_dtype=False, atol=1e-5, rtol=1e-4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch will move it elsewhere
        quantized = quantize_dynamic(copy.deepcopy(subject.layer), {nn.Linear})
    close(subject.make(quantized)(*given), want, atol=0.1, rtol=0.1)


MACHINES = {
    "compile": compiled, "export": exported, "vmap": mapped, "per_sample": per_sample, "jvp": forward_mode,
    "second": second, "autocast": autocast, "inference": inference, "meta": meta, "defaults": defaults,
    "changed": changed, "hidden": hidden,
}


def idle(name, machine):
    """There is nothing to try."""
    subject = SUBJECTS[name]
    return {
        "per_sample": name in CONSTANT, "jvp": name in CONSTANT, "second": name in CONSTANT,
        "changed": subject.layer is None, "hidden": subject.hiding is None,
    }.get(machine, False)


def verdict(name, machine):
    """✓ it works, ✗ it is refused in the words above, or nothing; anything else is raised."""
    if idle(name, machine):
        return ""
    words = REFUSED.get((name, machine))
    if words is None:
        MACHINES[machine](SUBJECTS[name])
        return "✓"
    with pytest.raises(Exception, match=words):  # torch's own classes, too
        MACHINES[machine](SUBJECTS[name])
    return "✗"


@pytest.mark.filterwarnings("ignore:There is a performance drop")
@pytest.mark.parametrize("name", SUBJECTS)
def test_what_works_is_what_the_page_says(name):
    row = " | ".join([f"| `{name}`", *(verdict(name, machine) for machine in MACHINES)]) + " |"
    for page in PAGES:
        found = re.search(rf"^\| `{re.escape(name)}` .*$", page.read_text(encoding="utf-8"), re.M)
        assert found and found[0].split() == row.split(), f"{page.name} must say: {row}"


def test_every_public_name_is_in_the_table():
    assert {name.partition(".")[0] for name in SUBJECTS} == set(attn.__all__)
    for page in PAGES:
        rows = re.findall(r"^\| `([\w.]+)` \|.*[✓✗].*$", page.read_text(encoding="utf-8"), re.M)
        assert rows == list(SUBJECTS), f"{page.parent.name}/{page.name}"


@pytest.mark.parametrize("machine", ["jvp", "second"])
@pytest.mark.parametrize("name", ["fused_attention", "MultiHeadAttention", "TransformerBlock"])
def test_the_way_out_of_the_kernel(name, machine):
    with sdpa_kernel(SDPBackend.MATH):
        MACHINES[machine](SUBJECTS[name])


@pytest.mark.parametrize("at", [0, 1])
def test_blocks_are_not_counted_where_one_length_is_unknown(at):
    Q, K = torch.randn(5, 4), torch.randn(7, 4)
    size = {0: torch.export.Dim("size", min=4, max=64)}
    shapes = ((size, None, None) if at == 0 else (None, size, size),)
    program = Program(Subject(lambda _: attn.blockwise_attention, words))
    with pytest.raises(ValueError, match="n and m must be known to count the blocks"):
        torch.export.export(program, (Q, K, K), dynamic_shapes=shapes, strict=False)
