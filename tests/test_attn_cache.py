"""Decoding with a cache equals the full pass, however the words are cut into chunks."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import attn


def decode(module, x, sizes, cache, **options):
    outputs, start = [], 0
    with torch.no_grad():
        for size in sizes:
            part = {name: value(start, start + size) for name, value in options.items()}
            outputs.append(module(x[..., start : start + size, :], causal=True, cache=cache, **part))
            start += size
    return torch.cat(outputs, dim=-2)


chunks = st.lists(st.integers(0, 4), min_size=1, max_size=6)


@given(sizes=chunks, num_kv_heads=st.sampled_from([1, 2, 4]), data=st.data())
@settings(deadline=None, derandomize=True, max_examples=30)
def test_however_words_are_chunked(sizes, num_kv_heads, data):
    n = sum(sizes)
    x = torch.randn(*data.draw(st.sampled_from([(), (3,)])), n, 12).double()
    for module in (
        attn.MultiHeadAttention(12, 4, num_kv_heads=num_kv_heads).double(),
        attn.TransformerBlock(12, 4, num_kv_heads=num_kv_heads).double(),
    ):
        cache = attn.KVCache(max(n, 1))
        torch.testing.assert_close(decode(module, x, sizes, cache), module(x, causal=True))
        assert cache.length == n


def test_with_padding_and_alibi():
    layer, x, lengths = attn.MultiHeadAttention(12, 4), torch.randn(3, 7, 12), torch.tensor([[2], [7], [5]])
    came = decode(
        layer,
        x,
        [3, 1, 2, 1],
        attn.KVCache(11),
        mask=lambda start, stop: attn.padding_mask(lengths.clamp(max=stop), stop),
        bias=lambda start, stop: attn.alibi(4, stop - start, stop),
    )
    want = layer(x, causal=True, mask=attn.padding_mask(lengths, 7), bias=attn.alibi(4, 7, 7))
    torch.testing.assert_close(came, want)


def test_with_turned_queries_and_keys():
    Q, K, V = (torch.randn(2, 7, 6).double() for _ in range(3))
    want, cache, came = attn.attention(attn.rope(Q), attn.rope(K), V, causal=True), attn.KVCache(7), []
    for start, stop in ((0, 3), (3, 4), (4, 7)):
        q, k = attn.rope(Q[:, start:stop], start), attn.rope(K[:, start:stop], start)
        came.append(attn.attention(q, *cache.append(k, V[:, start:stop]), causal=True))
    torch.testing.assert_close(torch.cat(came, dim=1), want)


def test_two_layers_need_the_causal_mask_and_one_does_not():
    first, second, x = attn.TransformerBlock(8, 2), attn.TransformerBlock(8, 2), torch.randn(7, 8)
    torch.testing.assert_close(first(x, causal=True)[-1], first(x)[-1])
    assert not torch.allclose(second(first(x, causal=True), causal=True)[-1], second(first(x))[-1], atol=1e-4)


def test_what_it_holds():
    cache = attn.KVCache(capacity=5)
    assert (cache.capacity, cache.length) == (5, 0)
    K, V = torch.randn(2, 3, 4, requires_grad=False), torch.randn(2, 3, 6)
    for i in range(3):
        k, v = cache.append(K[:, i : i + 1], V[:, i : i + 1])
        assert torch.equal(k, K[:, : i + 1]) and torch.equal(v, V[:, : i + 1]) and cache.length == i + 1
    k, v = cache.append(K[:, :2], V[:, :2])
    assert cache.length == 5 and torch.equal(k[:, 3:], K[:, :2])


def test_its_memory_is_taken_once():
    cache = attn.KVCache(5)
    first, _ = cache.append(torch.randn(2, 1, 4), torch.randn(2, 1, 4))
    second, _ = cache.append(torch.randn(2, 2, 4), torch.randn(2, 2, 4))
    assert first.untyped_storage().data_ptr() == second.untyped_storage().data_ptr()
    assert first.untyped_storage().nbytes() == 2 * 5 * 4 * 4


@pytest.mark.parametrize(
    "options", [{"mask": torch.ones(1, 1).bool()}, {"bias": torch.ones(9)}, {"causal": 1}, {"causal": False}]
)
def test_a_refused_call_leaves_it_as_it_was(options):
    layer, cache = attn.MultiHeadAttention(8, 2), attn.KVCache(5)
    with torch.no_grad():
        layer(torch.randn(2, 3, 8), causal=True, cache=cache)
        with pytest.raises((TypeError, ValueError)):
            layer(torch.randn(2, 1, 8), cache=cache, **{"causal": True} | options)
        with pytest.raises(ValueError, match="it holds 3 of 5, 3 more came"):
            layer(torch.randn(2, 3, 8), causal=True, cache=cache)
    assert cache.length == 3


def test_gradients_are_refused_not_lost():
    layer = attn.MultiHeadAttention(8, 2)
    with pytest.raises(ValueError, match="use the cache under"):
        layer(torch.randn(3, 8), causal=True, cache=attn.KVCache(5))
    with torch.inference_mode():
        assert layer(torch.randn(3, 8), causal=True, cache=attn.KVCache(5)).shape == (3, 8)


@pytest.mark.parametrize("module", [attn.MultiHeadAttention(8, 2), attn.TransformerBlock(8, 2)])
def test_words_with_a_cache_cannot_see_later_ones(module):
    cache = attn.KVCache(2)
    for options in ({}, {"causal": False}):
        with torch.no_grad(), pytest.raises(ValueError, match=r"causal must be True with a cache, .*: it is False"):
            module(torch.randn(2, 8), cache=cache, **options)
    assert cache.length == 0


MODES = {"no_grad": torch.no_grad, "inference": torch.inference_mode}


@pytest.mark.parametrize("first", MODES)
@pytest.mark.parametrize("then", MODES)
def test_it_is_filled_in_one_mode_and_goes_on_in_the_other(first, then):
    module, x, cache, came = attn.TransformerBlock(8, 2), torch.randn(3, 7, 8), attn.KVCache(7), []
    for mode, part in ((first, slice(0, 3)), (then, slice(3, 4)), (first, slice(4, 5)), (then, slice(5, 7))):
        with MODES[mode]():
            came.append(module(x[:, part], causal=True, cache=cache).clone())
    torch.testing.assert_close(torch.cat(came, dim=1), module(x, causal=True).detach())


def test_what_it_returns_are_views_as_documented():
    cache = attn.KVCache(3)
    cache.append(torch.ones(1, 2), torch.ones(1, 5))[0].zero_()
    assert cache.append(torch.ones(1, 2), torch.ones(1, 5))[0].tolist() == [[0, 0], [1, 1]]
    assert "views" in attn.KVCache.__doc__


def test_decoding_compiles_into_few_graphs():
    graphs = []

    def backend(graph, _):
        graphs.append(graph)
        return graph.forward

    torch._dynamo.reset()
    module, x, cache = attn.TransformerBlock(8, 2), torch.randn(3, 12, 8), attn.KVCache(12)
    step = torch.compile(module, fullgraph=True, backend=backend)
    with torch.no_grad():
        came = [step(x[:, :4], causal=True, cache=cache)]
        came += [step(x[:, i : i + 1], causal=True, cache=cache) for i in range(4, 12)]
        torch.testing.assert_close(torch.cat(came, dim=1), module(x, causal=True))
    assert cache.length == 12 and len(graphs) <= 3  # many words, one word, one word at any length
