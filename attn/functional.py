"""The formula, built inside out: scores, then their softmax, then the weighted mean of the values."""

import torch
from torch import Tensor

from attn.checks import check_attention, check_look, check_query_key
from attn.masks import both, hide, visible


def attention_scores(Q: Tensor, K: Tensor, *, scale: float | None = None) -> Tensor:
    """How well each query matches each key: QKᵀ/√d_k.

    Args:
        Q: queries (…, n, d_k).
        K: keys (…, m, d_k).
        scale: what multiplies QKᵀ; 1/√d_k unless given.

    Returns:
        (…, n, m), any real numbers.

    >>> Q = K = torch.eye(2)
    >>> attention_scores(Q, K).round(decimals=3)
    tensor([[0.7070, 0.0000],
            [0.0000, 0.7070]])

    Source: Vaswani et al. 2017, section 3.2.1, arXiv:1706.03762.
    """
    check_query_key(Q, K, scale)
    d_k = K.shape[-1]
    scale = 1 / d_k**0.5 if scale is None else scale
    return (Q * scale) @ K.transpose(-2, -1)  # (…, n, m); scaled first, as half precision would overflow


def attention_weights(
    Q: Tensor, K: Tensor, *,
    mask: Tensor | None = None, causal: bool = False, bias: Tensor | None = None, scale: float | None = None,
) -> Tensor:
    """How much each query looks at each key: softmax(QKᵀ/√d_k), over the keys. Each row sums to 1.

    A query that may look at nothing has weights 0. A bias of -∞ gives weight 0, too, but doesn't keep a NaN out.

    Args:
        Q: queries (…, n, d_k).
        K: keys (…, m, d_k).
        mask: booleans, True = may look, with as many dimensions as (…, n, m), each size equal or 1.
        causal: each query sees the keys up to its own; the last query sees every key. With `mask`: both must agree.
        bias: added to the scores, broadcast to (…, n, m).
        scale: what multiplies QKᵀ; 1/√d_k unless given.

    Returns:
        (…, n, m), between 0 and 1.

    >>> Q = K = torch.eye(2)
    >>> attention_weights(Q, K).round(decimals=2)
    tensor([[0.6700, 0.3300],
            [0.3300, 0.6700]])
    >>> attention_weights(Q, K, causal=True).round(decimals=2)
    tensor([[1.0000, 0.0000],
            [0.3300, 0.6700]])

    Source: Vaswani et al. 2017, section 3.2.1, arXiv:1706.03762.
    """
    scores = attention_scores(Q, K, scale=scale)  # (…, n, m)
    check_look(tuple(scores.shape), Q.dtype, mask, causal, bias)
    may_look = visible(mask, causal, Q, K)
    if bias is not None:
        scores = scores + bias.to(scores.dtype)  # autocast may have chosen another
        may_look = both(may_look, scores != -torch.inf)
    return masked_softmax(scores, may_look)


def attention(
    Q: Tensor, K: Tensor, V: Tensor, *,
    mask: Tensor | None = None, causal: bool = False, bias: Tensor | None = None, scale: float | None = None,
) -> Tensor:
    """The mean of the values, weighted by how much each query looks at each key: softmax(QKᵀ/√d_k)V.

    A query that may look at nothing gets 0. What `mask` or `causal` hides from every query has no influence, not even a
    NaN; a bias of -∞ gives weight 0, but doesn't keep a NaN out.

    Args:
        Q: queries (…, n, d_k).
        K: keys (…, m, d_k).
        V: values (…, m, d_v).
        mask, causal, bias, scale: as in `attention_weights`.

    Returns:
        (…, n, d_v).

    >>> Q = K = torch.eye(2)
    >>> V = torch.tensor([[10.0], [20.0]])
    >>> attention(Q, K, V).round(decimals=1)
    tensor([[13.3000],
            [16.7000]])

    Source: Vaswani et al. 2017, equation 1, arXiv:1706.03762.
    """
    check_attention(Q, K, V, mask, causal, bias, scale)
    Q, K, V = hide(Q, K, V, visible(mask, causal, Q, K))
    return attention_weights(Q, K, mask=mask, causal=causal, bias=bias, scale=scale) @ V  # (…, n, d_v)


def masked_softmax(scores: Tensor, may_look: Tensor | None) -> Tensor:
    """Softmax over the keys that may be looked at; the others get exactly 0, and so does a row without any.

    The lowest finite number, not -∞, keeps softmax and its gradient finite in such a row.
    """
    if may_look is None:
        return torch.softmax(scores, dim=-1)
    scores = torch.where(may_look, scores, torch.finfo(scores.dtype).min)
    return torch.softmax(scores, dim=-1) * may_look
