"""Who may look at whom: boolean tensors, True = may look."""

from math import isfinite

import torch
from torch import Tensor

from attn.checks import check_size, kind, number


def causal_mask(n: int, m: int | None = None, *, device: torch.device | None = None) -> Tensor:
    """Each of n queries may look at its own key and the earlier ones: key j is seen if j ≤ i + m - n.

    The *last* query sees every key, as decoding needs; torch's `is_causal` lines up the *first* query instead.

    Args:
        n: number of queries.
        m: number of keys; n of them unless given.
        device: where to make the mask; torch's default unless given.

    Returns:
        (n, m).

    >>> causal_mask(3).int()
    tensor([[1, 0, 0],
            [1, 1, 0],
            [1, 1, 1]], dtype=torch.int32)
    >>> causal_mask(2, 5).int()
    tensor([[1, 1, 1, 1, 0],
            [1, 1, 1, 1, 1]], dtype=torch.int32)

    Source: Vaswani et al. 2017, section 3.2.3, arXiv:1706.03762.
    """
    check_size("n", n, least=0)
    m = n if m is None else m
    check_size("m", m, least=0)
    return torch.arange(m, device=device) <= torch.arange(m - n, m, device=device)[:, None]  # (n, m)


def padding_mask(lengths: Tensor, m: int) -> Tensor:
    """Only the first `lengths` of m keys are words, the rest is padding: key j is seen if j < length.

    A mask has as many dimensions as the scores. For heads, whose scores are (b, h, n, m), hand in `lengths[:, None]`.

    Args:
        lengths: integers (…), each from 0 to m; where they can't be read, as in vmap or compiled code, not checked.
        m: number of keys.

    Returns:
        (…, 1, m).

    >>> padding_mask(torch.tensor([2, 4]), 5).int()
    tensor([[[1, 1, 0, 0, 0]],
    <BLANKLINE>
            [[1, 1, 1, 1, 0]]], dtype=torch.int32)
    """
    if not isinstance(lengths, Tensor) or lengths.dtype == torch.bool or lengths.is_floating_point():
        raise TypeError(f"lengths must be a tensor of integers: it is {kind(lengths)}")
    check_size("m", m, least=0)
    if number(((lengths < 0) | (lengths > m)).sum()) > 0:
        raise ValueError(f"lengths must lie between 0 and m: m is {m}, lengths are {lengths.tolist()}")
    return torch.arange(m, device=lengths.device) < lengths[..., None, None]  # (…, 1, m)


def visible(mask: Tensor | None, causal: bool, Q: Tensor, K: Tensor) -> Tensor | None:
    """`mask` and `causal` in one mask; None where everyone may look at everyone."""
    n, m = Q.shape[-2], K.shape[-2]
    if not causal or n == 1:  # the last query sees every key
        return mask
    return both(mask, causal_mask(n, m, device=Q.device))


def both(mask: Tensor | None, other: Tensor) -> Tensor:
    return other if mask is None else mask & other


def hide(Q: Tensor, K: Tensor, V: Tensor, may_look: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
    """Zeros for queries that may look at nothing, and for keys and values that no query may look at.

    A weight of 0 is not enough: 0 · NaN is NaN, forward and backward. What is finite is left as it is, but to look is
    cheap on a CPU only: a GPU would have to wait.
    """
    if may_look is None or (Q.is_cpu and isfinite(number(Q.detach().sum() + K.detach().sum() + V.detach().sum()))):
        return Q, K, V
    looks, seen = may_look.any(dim=-1)[..., None], may_look.any(dim=-2)[..., None]
    return torch.where(looks, Q, 0), torch.where(seen, K, 0), torch.where(seen, V, 0)
