"""What is refused, at every public door, in words that name the argument, the rule and the numbers."""

import re

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import attn
from attn.labs.check import check_attention
from attn.labs.senses import CONTEXTS, Reading, Senses

DOORS = {
    "attention": attn.attention,
    "fused_attention": attn.fused_attention,
    "blockwise_attention": attn.blockwise_attention,
    "attention_weights": lambda Q, K, V, **options: attn.attention_weights(Q, K, **options),
    "attention_scores": lambda Q, K, V, **options: attn.attention_scores(Q, K, **options),
}
WITH_VALUES = ["attention", "fused_attention", "blockwise_attention"]
WITH_MASKS = [*WITH_VALUES, "attention_weights"]


def refuses(error, message, call, *args, **options):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        call(*args, **options)


def rand(*size, **options):
    return torch.rand(size, **options)


@pytest.fixture(autouse=True)
def kernel(monkeypatch):
    """Whatever is refused never reaches torch's kernel."""

    def never(*args, **options):
        raise AssertionError("torch's kernel was called")

    monkeypatch.setattr(F, "scaled_dot_product_attention", never)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("Q", "K", "error", "message"),
    [
        (rand(3, 4), rand(5, 3), ValueError, "query and key must share d_k: query is (3, 4), key is (5, 3)"),
        (rand(3, 0), rand(5, 0), ValueError, "d_k must be at least 1: query is (3, 0), key is (5, 0)"),
        (rand(4), rand(5, 4), ValueError, "query must have at least 2 dimensions: it is (4,)"),
        (rand(3, 4), rand(4), ValueError, "key must have at least 2 dimensions: it is (4,)"),
        (
            rand(2, 3, 4),
            rand(7, 5, 4),
            ValueError,
            "query and key must share all dimensions but the last two: query is (2, 3, 4), key is (7, 5, 4)",
        ),
        (
            rand(2, 3, 4),
            rand(1, 5, 4),
            ValueError,
            "query and key must share all dimensions but the last two: query is (2, 3, 4), key is (1, 5, 4)",
        ),
        (
            rand(2, 3, 4),
            rand(5, 4),
            ValueError,
            "query and key must share all dimensions but the last two: query is (2, 3, 4), key is (5, 4)",
        ),
        (
            rand(3, 4),
            rand(5, 4).double(),
            TypeError,
            "query and key must share a dtype: query is torch.float32, key is torch.float64",
        ),
        (rand(3, 4).int(), rand(5, 4), TypeError, "query must be a floating-point tensor: it is torch.int32"),
        (rand(3, 4), rand(5, 4).long(), TypeError, "key must be a floating-point tensor: it is torch.int64"),
        (rand(3, 4).cfloat(), rand(5, 4), TypeError, "query must be a floating-point tensor: it is torch.complex64"),
        ([[1.0]], rand(5, 4), TypeError, "query must be a floating-point tensor: it is list"),
        (rand(3, 4), None, TypeError, "key must be a floating-point tensor: it is NoneType"),
    ],
)
def test_queries_and_keys_that_do_not_fit(door, Q, K, error, message):
    refuses(error, message, DOORS[door], Q, K, K)


@pytest.mark.parametrize("door", WITH_VALUES)
@pytest.mark.parametrize(
    ("V", "error", "message"),
    [
        (rand(7, 2), ValueError, "key and value must have the same length m: key is (5, 4), value is (7, 2)"),
        (rand(1, 2), ValueError, "key and value must have the same length m: key is (5, 4), value is (1, 2)"),
        (rand(5), ValueError, "value must have at least 2 dimensions: it is (5,)"),
        (
            rand(3, 5, 2),
            ValueError,
            "key and value must share all dimensions but the last two: key is (5, 4), value is (3, 5, 2)",
        ),
        (
            rand(5, 2).half(),
            TypeError,
            "key and value must share a dtype: key is torch.float32, value is torch.float16",
        ),
        (rand(5, 2).bool(), TypeError, "value must be a floating-point tensor: it is torch.bool"),
        (None, TypeError, "value must be a floating-point tensor: it is NoneType"),
    ],
)
def test_values_that_do_not_fit(door, V, error, message):
    refuses(error, message, DOORS[door], rand(3, 4), rand(5, 4), V)


@pytest.mark.parametrize("door", WITH_MASKS)
@pytest.mark.parametrize(
    ("mask", "error", "message"),
    [
        (rand(3, 5), TypeError, "mask must be a boolean tensor, True = may look: it is torch.float32"),
        (torch.ones(3, 5).int(), TypeError, "mask must be a boolean tensor, True = may look: it is torch.int32"),
        ([[True]], TypeError, "mask must be a boolean tensor, True = may look: it is list"),
        (True, TypeError, "mask must be a boolean tensor, True = may look: it is bool"),
    ],
)
def test_masks_of_another_type(door, mask, error, message):
    refuses(error, message, DOORS[door], rand(3, 4), rand(5, 4), rand(5, 2), mask=mask)


@pytest.mark.parametrize("door", WITH_MASKS)
@pytest.mark.parametrize("size", [(3, 5), (2, 5), (2, 2, 5), (2, 3, 3), (7, 3, 5), (1, 2, 3, 5), (5,), ()])
def test_masks_of_another_shape(door, size):
    message = f"mask must have as many dimensions as the scores (2, 3, 5), each size equal or 1: mask is {size}"
    mask = torch.ones(size, dtype=torch.bool)
    refuses(ValueError, message, DOORS[door], rand(2, 3, 4), rand(2, 5, 4), rand(2, 5, 2), mask=mask)


@pytest.mark.parametrize("door", WITH_MASKS)
@pytest.mark.parametrize("size", [(2, 3, 7), (2, 5), (7, 3, 5), (1, 2, 3, 5), (3,)])
def test_biases_of_another_shape(door, size):
    message = f"bias must broadcast to the scores (2, 3, 5): bias is {size}"
    refuses(ValueError, message, DOORS[door], rand(2, 3, 4), rand(2, 5, 4), rand(2, 5, 2), bias=rand(*size))


@pytest.mark.parametrize("door", WITH_MASKS)
@pytest.mark.parametrize(
    ("bias", "message"),
    [
        (rand(3, 5).double(), "query and bias must share a dtype: query is torch.float32, bias is torch.float64"),
        (rand(3, 5) > 0.5, "bias must be a floating-point tensor: it is torch.bool"),
        (0.5, "bias must be a floating-point tensor: it is float"),
    ],
)
def test_biases_of_another_type(door, bias, message):
    refuses(TypeError, message, DOORS[door], rand(3, 4), rand(5, 4), rand(5, 2), bias=bias)


@pytest.mark.parametrize("door", WITH_MASKS)
@pytest.mark.parametrize(("causal", "kind"), [(1, "int"), (None, "NoneType"), (torch.tensor(True), "torch.bool")])
def test_causal_that_is_no_flag(door, causal, kind):
    message = f"causal must be True or False: it is {kind}"
    refuses(TypeError, message, DOORS[door], rand(3, 4), rand(5, 4), rand(5, 2), causal=causal)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("scale", [float("inf"), float("-inf"), float("nan")])
def test_a_scale_that_is_not_finite(door, scale):
    message = f"scale must be finite: it is {scale}"
    refuses(ValueError, message, DOORS[door], rand(3, 4), rand(5, 4), rand(5, 2), scale=scale)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("scale", "kind"), [("1", "str"), (torch.tensor(0.5), "torch.float32"), ([1], "list")])
def test_a_scale_that_is_no_number(door, scale, kind):
    message = f"scale must be a number: it is {kind}"
    refuses(TypeError, message, DOORS[door], rand(3, 4), rand(5, 4), rand(5, 2), scale=scale)


def test_what_follows_the_tensors_is_keyword_only():
    for door in ("attention", "fused_attention", "blockwise_attention"):
        with pytest.raises(TypeError, match="positional"):
            DOORS[door](rand(3, 4), rand(5, 4), rand(5, 2), torch.ones(3, 5).bool())
    with pytest.raises(TypeError, match="positional"):
        attn.attention_scores(rand(3, 4), rand(5, 4), 0.5)
    with pytest.raises(TypeError, match="positional"):
        attn.attention_weights(rand(3, 4), rand(5, 4), torch.ones(3, 5).bool())


@pytest.mark.parametrize(("dropout", "text"), [(1.0, "1.0"), (-0.1, "-0.1"), (2, "2"), (float("nan"), "nan")])
def test_dropout_outside_its_range(dropout, text):
    message = f"dropout must be at least 0 and below 1: it is {text}"
    refuses(ValueError, message, attn.fused_attention, rand(3, 4), rand(5, 4), rand(5, 2), dropout=dropout)
    refuses(ValueError, message, attn.MultiHeadAttention, 8, 2, dropout=dropout)
    refuses(ValueError, message, attn.TransformerBlock, 8, 2, dropout=dropout)


def test_dropout_that_is_no_number():
    message = "dropout must be a number: it is str"
    refuses(TypeError, message, attn.fused_attention, rand(3, 4), rand(5, 4), rand(5, 2), dropout="0.1")
    refuses(TypeError, message, attn.MultiHeadAttention, 8, 2, dropout="0.1")


@pytest.mark.parametrize(("block", "error", "rule"), [(0, ValueError, "at least 1"), (2.0, TypeError, "an integer")])
def test_a_block_of_no_size(block, error, rule):
    came = "float" if error is TypeError else block
    message = f"block must be {rule}: it is {came}"
    refuses(error, message, attn.blockwise_attention, rand(3, 4), rand(5, 4), rand(5, 2), block=block)


SIZES = {
    "n": [(attn.causal_mask, (-1,)), (attn.sinusoidal, (-1, 4)), (attn.alibi, (2, -1, 3))],
    "m": [(attn.causal_mask, (2, -1)), (attn.padding_mask, (torch.tensor([1]), -1)), (attn.alibi, (2, 3, -1))],
    "start": [(attn.rope, (rand(3, 4), -1))],
}


@pytest.mark.parametrize("name", SIZES)
def test_sizes_below_zero(name):
    for call, args in SIZES[name]:
        refuses(ValueError, f"{name} must be at least 0: it is -1", call, *args)


@pytest.mark.parametrize(
    ("name", "call", "args"),
    [
        ("d_model", attn.SelfAttention, (0,)),
        ("d_model", attn.MultiHeadAttention, (0, 2)),
        ("d_model", attn.TransformerBlock, (0, 2)),
        ("d_model", attn.sinusoidal, (3, 0)),
        ("num_heads", attn.MultiHeadAttention, (8, 0)),
        ("num_heads", attn.alibi, (0, 2, 3)),
        ("d_q", attn.AdditiveAttention, (0, 2, 3)),
        ("d_k", attn.AdditiveAttention, (2, 0, 3)),
        ("d_hidden", attn.AdditiveAttention, (2, 3, 0)),
        ("capacity", attn.KVCache, (0,)),
    ],
)
def test_sizes_below_one(name, call, args):
    refuses(ValueError, f"{name} must be at least 1: it is 0", call, *args)
    args = [2.0 if size == 0 else size for size in args]
    refuses(TypeError, f"{name} must be an integer: it is float", call, *args)


def test_optional_sizes():
    refuses(ValueError, "num_kv_heads must be at least 1: it is 0", attn.MultiHeadAttention, 8, 2, num_kv_heads=0)
    refuses(ValueError, "d_ff must be at least 1: it is 0", attn.TransformerBlock, 8, 2, d_ff=0)
    refuses(TypeError, "num_heads must be an integer: it is NoneType", attn.TransformerBlock, 8, None)
    refuses(TypeError, "n must be an integer: it is str", attn.causal_mask, "3")
    refuses(TypeError, "m must be an integer: it is float", attn.causal_mask, 3, 3.0)
    refuses(TypeError, "start must be an integer: it is float", attn.rope, rand(3, 4), 0.5)


@pytest.mark.parametrize("layer", [attn.MultiHeadAttention, attn.TransformerBlock])
def test_heads_that_do_not_divide(layer):
    refuses(ValueError, "num_heads must divide d_model: num_heads is 3, d_model is 8", layer, 8, 3)
    message = "num_kv_heads must divide num_heads: num_kv_heads is 3, num_heads is 4"
    refuses(ValueError, message, layer, 8, 4, num_kv_heads=3)
    message = "num_kv_heads must divide num_heads: num_kv_heads is 8, num_heads is 4"
    refuses(ValueError, message, layer, 8, 4, num_kv_heads=8)


def test_odd_sizes():
    refuses(ValueError, "d_model must be even: it is 5", attn.sinusoidal, 3, 5)
    refuses(ValueError, "d_k must be even: it is 5", attn.rope, rand(3, 5))


@pytest.mark.parametrize(
    "layer",
    [
        attn.SelfAttention(8),
        attn.MultiHeadAttention(8, 2),
        attn.MultiHeadAttention(8, 2).weights,
        attn.TransformerBlock(8, 2),
    ],
    ids=["SelfAttention", "MultiHeadAttention", "weights", "TransformerBlock"],
)
def test_what_layers_refuse(layer):
    refuses(ValueError, "x must have size 8 in its last dimension: it is (3, 7)", layer, rand(3, 7))
    refuses(ValueError, "x must have at least 2 dimensions: it is (8,)", layer, rand(8))
    refuses(TypeError, "x must be a floating-point tensor: it is torch.int64", layer, torch.ones(3, 8).long())
    refuses(TypeError, "x must be a floating-point tensor: it is list", layer, [[1.0] * 8])
    message = "x and layer must share a dtype: x is torch.float64, layer is torch.float32"
    refuses(TypeError, message, layer, rand(3, 8).double())
    if layer.__class__ is not attn.SelfAttention:
        rule = "mask must have as many dimensions as the scores (5, 2, 3, 3), each size equal or 1"
        message = f"{rule}: mask is (5, 1, 3)"
        refuses(ValueError, message, layer, rand(5, 3, 8), mask=torch.ones(5, 1, 3).bool())
        message = "mask must be a boolean tensor, True = may look: it is torch.float32"
        refuses(TypeError, message, layer, rand(5, 3, 8), mask=rand(5, 1, 1, 3))
        message = "bias must broadcast to the scores (5, 2, 3, 3): bias is (7, 3, 3)"
        refuses(ValueError, message, layer, rand(5, 3, 8), bias=rand(7, 3, 3))
        refuses(TypeError, "bias must be a floating-point tensor: it is float", layer, rand(5, 3, 8), bias=0.5)
        refuses(TypeError, "causal must be True or False: it is int", layer, rand(5, 3, 8), causal=1)


def test_what_cross_attention_refuses():
    layer = attn.MultiHeadAttention(8, 2)
    for call in (layer, layer.weights):
        refuses(ValueError, "memory must have size 8 in its last dimension: it is (5, 7)", call, rand(3, 8), rand(5, 7))
        message = "x and memory must share all dimensions but the last two: x is (2, 3, 8), memory is (7, 5, 8)"
        refuses(ValueError, message, call, rand(2, 3, 8), rand(7, 5, 8))
        message = "memory must be a floating-point tensor: it is torch.bool"
        refuses(TypeError, message, call, rand(3, 8), torch.ones(5, 8).bool())
    message = "cache is for self-attention: give memory or cache, not both"
    refuses(ValueError, message, layer, rand(3, 8), rand(5, 8), cache=attn.KVCache(3))


def test_what_additive_attention_refuses():
    layer = attn.AdditiveAttention(d_q=2, d_k=3, d_hidden=5)
    Q, K, V = rand(7, 2), rand(11, 3), rand(11, 4)
    for call in (layer, lambda Q, K, V: layer.weights(Q, K), lambda Q, K, V: layer.scores(Q, K)):
        refuses(ValueError, "query must have size 2 in its last dimension: it is (7, 3)", call, rand(7, 3), K, V)
        refuses(ValueError, "key must have size 3 in its last dimension: it is (11, 2)", call, Q, rand(11, 2), V)
        message = "query and key must share all dimensions but the last two: query is (5, 7, 2), key is (11, 3)"
        refuses(ValueError, message, call, rand(5, 7, 2), K, V)
        refuses(TypeError, "query must be a floating-point tensor: it is NoneType", call, None, K, V)
    message = "key and value must have the same length m: key is (11, 3), value is (7, 4)"
    refuses(ValueError, message, layer, Q, K, rand(7, 4))
    message = "mask must have as many dimensions as the scores (7, 11), each size equal or 1: mask is (11,)"
    refuses(ValueError, message, layer, Q, K, V, mask=torch.ones(11).bool())
    message = "mask must be a boolean tensor, True = may look: it is torch.float32"
    refuses(TypeError, message, layer.weights, Q, K, mask=rand(7, 11))


def test_what_positions_refuse():
    refuses(ValueError, "x must have at least 2 dimensions: it is (4,)", attn.rope, rand(4))
    refuses(TypeError, "x must be a floating-point tensor: it is torch.int64", attn.rope, torch.ones(3, 4).long())


def test_what_padding_refuses():
    message = "lengths must lie between 0 and m: m is 5, lengths are [2, 6]"
    refuses(ValueError, message, attn.padding_mask, torch.tensor([2, 6]), 5)
    message = "lengths must lie between 0 and m: m is 5, lengths are [-1, 3]"
    refuses(ValueError, message, attn.padding_mask, torch.tensor([-1, 3]), 5)
    message = "lengths must be a tensor of integers: it is torch.float32"
    refuses(TypeError, message, attn.padding_mask, torch.tensor([2.0]), 5)
    message = "lengths must be a tensor of integers: it is torch.bool"
    refuses(TypeError, message, attn.padding_mask, torch.tensor([True]), 5)
    refuses(TypeError, "lengths must be a tensor of integers: it is list", attn.padding_mask, [2], 5)


def test_what_the_cache_refuses():
    cache = attn.KVCache(3)
    with torch.no_grad():
        cache.append(rand(2, 2, 5), rand(2, 2, 7))
    message = "cache must have room for every word: it holds 2 of 3, 2 more came"
    refuses(ValueError, message, cache.append, rand(2, 2, 5), rand(2, 2, 7))
    message = "key and value must have the same length m: key is (2, 1, 5), value is (2, 2, 7)"
    refuses(ValueError, message, cache.append, rand(2, 1, 5), rand(2, 2, 7))
    message = "key and cache must share all dimensions but the last two: key is (1, 1, 5), cache is (2, 3, 5)"
    refuses(ValueError, message, cache.append, rand(1, 1, 5), rand(1, 1, 7))
    message = "key and cache must share a size: key is (2, 1, 4), cache is (2, 3, 5)"
    refuses(ValueError, message, cache.append, rand(2, 1, 4), rand(2, 1, 7))
    message = "key and cache must share a size: key is (2, 1, 6), cache is (2, 3, 5)"
    refuses(ValueError, message, cache.append, rand(2, 1, 6), rand(2, 1, 7))
    message = "value and cache must share a size: value is (2, 1, 4), cache is (2, 3, 7)"
    refuses(ValueError, message, cache.append, rand(2, 1, 5), rand(2, 1, 4))
    message = "key and cache must share a dtype: key is torch.float64, cache is torch.float32"
    refuses(TypeError, message, cache.append, rand(2, 1, 5).double(), rand(2, 1, 7).double())
    message = "key and value must not require gradients: use the cache under torch.no_grad()"
    refuses(ValueError, message, cache.append, rand(2, 1, 5, requires_grad=True), rand(2, 1, 7))
    refuses(ValueError, message, cache.append, rand(2, 1, 5), rand(2, 1, 7, requires_grad=True))
    assert cache.length == 2


def test_what_from_torch_refuses():
    from_torch = attn.MultiHeadAttention.from_torch
    refuses(TypeError, "layer must be an nn.MultiheadAttention: it is Linear", from_torch, nn.Linear(2, 2))
    message = "layer must have no bias_k, bias_v, add_zero_attn, kdim or vdim: it has one of them"
    for options in ({"add_bias_kv": True}, {"add_zero_attn": True}, {"kdim": 5}, {"vdim": 5}):
        refuses(ValueError, message, from_torch, nn.MultiheadAttention(8, 2, **options))


def test_what_the_labs_refuse():
    refuses(TypeError, "fn must be a function of Q, K and V: it is int", check_attention, 3)
    refuses(ValueError, "language must be 'en' or 'zh': it is 'fr'", check_attention, attn.attention, language="fr")
    model = Senses("en")
    message = "words must be in the vocabulary: cat sat are not"
    refuses(ValueError, message, model.read, [Reading(("i", "sat", "cat"), 1, "fruit")])
    rule = f"language must be one of ('zh', 'en') and context one of {CONTEXTS}"
    refuses(ValueError, f"{rule}: they are 'fr' and 'alike'", Senses, "fr", "alike")
    refuses(ValueError, f"{rule}: they are 'zh' and 'all'", Senses, "zh", "all")
