"""What is refused, in words. Each public function and layer calls these once, before any arithmetic."""

import math

import torch
from torch import Tensor


def check_attention(
    Q: Tensor,
    K: Tensor,
    V: Tensor,
    *,
    mask: Tensor | None,
    causal: bool,
    bias: Tensor | None,
    scale: float | None,
) -> None:
    """Everything that an attention function refuses."""
    check_query_key(Q, K, scale)
    check_value(K, V)
    check_look((*Q.shape[:-1], K.shape[-2]), Q.dtype, mask, causal, bias)


def check_query_key(Q: Tensor, K: Tensor, scale: float | None = None) -> None:
    """Q (…, n, d_k) and K (…, m, d_k) can be multiplied, and the scale is a finite number."""
    check_pair("query", Q, "key", K)
    if Q.shape[-1] != K.shape[-1]:
        raise ValueError(f"query and key must share d_k: query is {shape(Q)}, key is {shape(K)}")
    if Q.shape[-1] == 0:
        raise ValueError(f"d_k must be at least 1: query is {shape(Q)}, key is {shape(K)}")
    if scale is not None:
        check_number("scale", scale)
        if not math.isfinite(scale):
            raise ValueError(f"scale must be finite: it is {scale}")


def check_value(K: Tensor, V: Tensor) -> None:
    """Each key of K (…, m, d_k) has its value in V (…, m, d_v); torch's kernel would read past the end otherwise."""
    check_pair("key", K, "value", V)
    if K.shape[-2] != V.shape[-2]:
        raise ValueError(f"key and value must have the same length m: key is {shape(K)}, value is {shape(V)}")


def check_look(
    scores: tuple[int, ...], dtype: torch.dtype, mask: Tensor | None, causal: bool, bias: Tensor | None
) -> None:
    """Mask, causal and bias fit scores of this shape, which is (…, n, m), and dtype."""
    if mask is None and causal is False and bias is None:
        return
    check_flag("causal", causal)
    if mask is not None:
        check_mask(mask, scores)
    if bias is not None:
        check_tensor("bias", bias)
        if bias.dtype != dtype:
            raise TypeError(f"query and bias must share a dtype: query is {dtype}, bias is {bias.dtype}")
        if bias.ndim > len(scores) or not fits(bias, scores[len(scores) - bias.ndim :]):
            raise ValueError(f"bias must broadcast to the scores {scores}: bias is {shape(bias)}")


def check_mask(mask: Tensor, scores: tuple[int, ...]) -> None:
    """A mask is boolean, True = may look, and says for each dimension of the scores which it means."""
    if not isinstance(mask, Tensor) or mask.dtype != torch.bool:
        kind = mask.dtype if isinstance(mask, Tensor) else type(mask).__name__
        raise TypeError(f"mask must be a boolean tensor, True = may look: it is {kind}")
    if mask.ndim != len(scores) or not fits(mask, scores):
        rule = f"mask must have as many dimensions as the scores {scores}, each size equal or 1"
        raise ValueError(f"{rule}: mask is {shape(mask)}")


def check_pair(first: str, a: Tensor, second: str, b: Tensor) -> None:
    """Two floating-point tensors of one dtype that differ in their last two dimensions at most."""
    check_tensor(first, a)
    check_tensor(second, b)
    for name, x in ((first, a), (second, b)):
        if x.ndim < 2:
            raise ValueError(f"{name} must have at least 2 dimensions (…, length, size): it is {shape(x)}")
    if a.dtype != b.dtype:
        raise TypeError(f"{first} and {second} must share a dtype: {first} is {a.dtype}, {second} is {b.dtype}")
    if a.shape[:-2] != b.shape[:-2]:
        rule = f"{first} and {second} must share all dimensions but the last two"
        raise ValueError(f"{rule}: {first} is {shape(a)}, {second} is {shape(b)}")


def check_input(name: str, x: Tensor, d_model: int, weight: Tensor) -> None:
    """What a layer is given: (…, n, d_model), in the dtype of its parameters unless autocast chooses that."""
    check_tensor(name, x)
    if x.ndim < 2 or x.shape[-1] != d_model:
        raise ValueError(f"{name} must be (…, n, {d_model}), d_model being {d_model}: it is {shape(x)}")
    if x.dtype != weight.dtype and not torch.is_autocast_enabled(x.device.type):
        raise TypeError(f"{name} and layer must share a dtype: {name} is {x.dtype}, the layer is {weight.dtype}")


def check_tensor(name: str, x: Tensor) -> None:
    if not isinstance(x, Tensor):
        raise TypeError(f"{name} must be a tensor: it is {type(x).__name__}")
    if not x.is_floating_point():
        raise TypeError(f"{name} must be floating point: it is {x.dtype}")


def check_flag(name: str, value: bool) -> None:
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be True or False: it is {type(value).__name__}")


def check_number(name: str, value: float) -> None:
    if not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be a number: it is {type(value).__name__}")


def check_size(name: str, value: int, least: int = 1) -> None:
    if not isinstance(value, (int, torch.SymInt)):  # SymInt: a size under torch.export
        raise TypeError(f"{name} must be an integer: it is {type(value).__name__}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}: it is {value}")


def check_heads(d_model: int, num_heads: int, num_kv_heads: int | None) -> None:
    check_size("d_model", d_model)
    check_size("num_heads", num_heads)
    if d_model % num_heads:
        raise ValueError(f"num_heads must divide d_model: d_model is {d_model}, num_heads is {num_heads}")
    if num_kv_heads is not None:
        check_size("num_kv_heads", num_kv_heads)
        if num_heads % num_kv_heads:
            numbers = f"num_heads is {num_heads}, num_kv_heads is {num_kv_heads}"
            raise ValueError(f"num_kv_heads must divide num_heads: {numbers}")


def check_dropout(dropout: float) -> None:
    check_number("dropout", dropout)
    if not 0 <= dropout < 1:
        raise ValueError(f"dropout must be at least 0 and below 1: it is {dropout}")


def fits(x: Tensor, target: tuple[int, ...]) -> bool:
    return all(size in (1, want) for size, want in zip(x.shape, target, strict=True))


def shape(x: Tensor) -> tuple[int, ...]:
    return tuple(x.shape)
