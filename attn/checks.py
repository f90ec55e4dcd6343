"""What is refused, in words. Each public function and layer calls these before any arithmetic."""

import math
from collections.abc import Callable
from contextlib import suppress

import torch
from torch import Tensor


def check_attention(
    Q: Tensor, K: Tensor, V: Tensor, mask: Tensor | None, causal: bool, bias: Tensor | None, scale: float | None
) -> None:
    """Everything that an attention function refuses."""
    check_query_key(Q, K, scale)
    check_value(K, V)
    check_look((*Q.shape[:-1], K.shape[-2]), Q.dtype, mask, causal, bias)


def check_query_key(Q: Tensor, K: Tensor, scale: float | None) -> None:
    """Q (…, n, d_k) and K (…, m, d_k) can be multiplied, and the scale is a finite number."""
    check_pair("query", Q, "key", K)
    if Q.shape[-1] != K.shape[-1]:
        raise ValueError(f"query and key must share d_k: query is {shape(Q)}, key is {shape(K)}")
    if Q.shape[-1] == 0:
        raise ValueError(f"d_k must be at least 1: query is {shape(Q)}, key is {shape(K)}")
    if scale is not None:
        check_number("scale", scale, "finite", math.isfinite)


def check_value(K: Tensor, V: Tensor) -> None:
    """Each key of K (…, m, d_k) has its value in V (…, m, d_v); torch's kernel would read past the end otherwise."""
    check_pair("key", K, "value", V)
    if K.shape[-2] != V.shape[-2]:
        raise ValueError(f"key and value must have the same length m: key is {shape(K)}, value is {shape(V)}")


def check_look(
    scores: tuple[int, ...], dtype: torch.dtype, mask: Tensor | None, causal: bool, bias: Tensor | None
) -> None:
    """Mask, causal and bias fit scores of this shape, which is (…, n, m), and of this dtype."""
    if not isinstance(causal, bool):
        raise TypeError(f"causal must be True or False: it is {kind(causal)}")
    if mask is not None:
        if not isinstance(mask, Tensor) or mask.dtype != torch.bool:
            raise TypeError(f"mask must be a boolean tensor, True = may look: it is {kind(mask)}")
        if mask.ndim != len(scores) or not fits(mask, scores):
            rule = f"mask must have as many dimensions as the scores {scores}, each size equal or 1"
            raise ValueError(f"{rule}: mask is {shape(mask)}")
    if bias is not None:
        check_tensor("bias", bias)
        check_dtype("query", dtype, "bias", bias.dtype, bias.device)
        if bias.ndim > len(scores) or not fits(bias, scores):
            raise ValueError(f"bias must broadcast to the scores {scores}: bias is {shape(bias)}")


def check_pair(first: str, a: Tensor, second: str, b: Tensor) -> None:
    """Two tensors of one dtype that differ in their last two dimensions at most."""
    check_tensor(first, a, least=2)
    check_tensor(second, b, least=2)
    check_dtype(first, a.dtype, second, b.dtype, a.device)
    if a.shape[:-2] != b.shape[:-2]:
        rule = f"{first} and {second} must share all dimensions but the last two"
        raise ValueError(f"{rule}: {first} is {shape(a)}, {second} is {shape(b)}")


def check_input(name: str, x: Tensor, layer: torch.nn.Module) -> None:
    """What a layer is given has its size, and its dtype where that is plain: it may be quantized, wrapped or pruned."""
    check_tensor(name, x, least=2)
    size = getattr(layer, "in_features", x.shape[-1])
    if x.shape[-1] != size:
        raise ValueError(f"{name} must have size {size} in its last dimension: it is {shape(x)}")
    if type(layer) is torch.nn.Linear:
        check_dtype(name, x.dtype, "layer", next(layer.parameters(), x).dtype, x.device)


def check_dtype(first: str, a: torch.dtype, second: str, b: torch.dtype, device: torch.device) -> None:
    """Both are the same, or autocast sees to it."""
    if a != b and not (torch.amp.is_autocast_available(device.type) and torch.is_autocast_enabled(device.type)):
        raise TypeError(f"{first} and {second} must share a dtype: {first} is {a}, {second} is {b}")


def check_tensor(name: str, x: Tensor, least: int = 0) -> None:
    if not isinstance(x, Tensor) or not x.is_floating_point():
        raise TypeError(f"{name} must be a floating-point tensor: it is {kind(x)}")
    if x.ndim < least:
        raise ValueError(f"{name} must have at least {least} dimensions: it is {shape(x)}")


def check_dropout(dropout: float) -> None:
    check_number("dropout", dropout, "at least 0 and below 1", lambda p: 0 <= p < 1)


def check_number(name: str, value: float, rule: str, holds: Callable[[float], bool]) -> None:
    if not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be a number: it is {kind(value)}")
    if not holds(value):
        raise ValueError(f"{name} must be {rule}: it is {value}")


def check_size(name: str, value: int, least: int = 1) -> None:
    if not isinstance(value, (int, torch.SymInt)):  # SymInt: a size under torch.export
        raise TypeError(f"{name} must be an integer: it is {kind(value)}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}: it is {value}")


def check_divides(first: str, a: int, second: str, b: int) -> None:
    check_size(first, a)
    check_size(second, b)
    if b % a:
        raise ValueError(f"{first} must divide {second}: {first} is {a}, {second} is {b}")


def check_even(name: str, value: int) -> None:
    check_size(name, value)
    if value % 2:
        raise ValueError(f"{name} must be even: it is {value}")


def number(x: Tensor) -> float:
    """What x holds, or NaN where nobody can look at it: while torch compiles, in vmap, on the meta device."""
    if not torch.compiler.is_compiling():
        with suppress(RuntimeError):
            return x.item()
    return math.nan


def fits(x: Tensor, target: tuple[int, ...]) -> bool:
    """Whether x broadcasts to the target without making it larger."""
    return all(x.shape[-i] == 1 or x.shape[-i] == target[-i] for i in range(1, x.ndim + 1))


def kind(x: object) -> str:
    return str(x.dtype) if isinstance(x, Tensor) else type(x).__name__


def shape(x: Tensor) -> tuple[int, ...]:
    return tuple(x.shape)
