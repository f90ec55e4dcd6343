"""Eight attentions that are wrong, of the right shape, and therefore easily go unnoticed.

The queries, keys and values of the first ones are (…, n, d_k), (…, m, d_k), (…, m, d_v); those with `num_heads` take
(b, n, d_model) and cut it into heads themselves. `ZOO` lists all eight; `check_attention` knows each by its name.
"""

from collections.abc import Callable

import torch
from torch import Tensor


def softmax_over_queries(Q: Tensor, K: Tensor, V: Tensor) -> Tensor:
    """The columns sum to 1, not the rows."""
    scores = Q @ K.transpose(-2, -1) / K.size(-1) ** 0.5
    return torch.softmax(scores, dim=-2) @ V  # should be dim=-1


def no_scaling(Q: Tensor, K: Tensor, V: Tensor) -> Tensor:
    """The scores grow with d_k, and softmax saturates."""
    scores = Q @ K.transpose(-2, -1)  # should be divided by √d_k
    return torch.softmax(scores, dim=-1) @ V


def scaling_by_d_model(Q: Tensor, K: Tensor, V: Tensor, num_heads: int = 1) -> Tensor:
    """Too flat by √h: what is multiplied has size d_k = d_model / h."""
    scale = Q.size(-1) ** 0.5  # should be taken after the heads are split
    Q, K, V = (x.reshape(*x.shape[:2], num_heads, -1).transpose(1, 2) for x in (Q, K, V))
    output = torch.softmax(Q @ K.transpose(-2, -1) / scale, dim=-1) @ V
    return output.transpose(1, 2).flatten(-2)


def heads_split_by_view(Q: Tensor, K: Tensor, V: Tensor, num_heads: int = 1) -> Tensor:
    """A head gets parts of different words, not a part of each word."""
    Q, K, V = (x.reshape(x.size(0), num_heads, x.size(1), -1) for x in (Q, K, V))  # should be (b, n, h, d_k), swapped
    output = torch.softmax(Q @ K.transpose(-2, -1) / K.size(-1) ** 0.5, dim=-1) @ V
    return output.transpose(1, 2).flatten(-2)


def heads_merged_by_view(Q: Tensor, K: Tensor, V: Tensor, num_heads: int = 1) -> Tensor:
    """A word gets results of other words."""
    Q, K, V = (x.reshape(*x.shape[:2], num_heads, -1).transpose(1, 2) for x in (Q, K, V))
    output = torch.softmax(Q @ K.transpose(-2, -1) / K.size(-1) ** 0.5, dim=-1) @ V
    return output.reshape(output.size(0), output.size(2), -1)  # should be swapped back first


def inverted_mask(Q: Tensor, K: Tensor, V: Tensor, mask: Tensor | None = None) -> Tensor:
    """Looks exactly where it may not: True means "hide" in nn.MultiheadAttention, for one."""
    scores = Q @ K.transpose(-2, -1) / K.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask, torch.finfo(scores.dtype).min)  # should be ~mask
    return torch.softmax(scores, dim=-1) @ V


def hidden_diagonal(Q: Tensor, K: Tensor, V: Tensor, causal: bool = False) -> Tensor:
    """No word sees itself."""
    scores = Q @ K.transpose(-2, -1) / K.size(-1) ** 0.5
    if causal:
        future = torch.ones_like(scores, dtype=torch.bool).triu(0)  # should be triu(1)
        scores = scores.masked_fill(future, torch.finfo(scores.dtype).min)
    return torch.softmax(scores, dim=-1) @ V


def minus_1e9(Q: Tensor, K: Tensor, V: Tensor, mask: Tensor | None = None) -> Tensor:
    """Right in float32, but float16 ends at 65504: the sum is -∞, and NaN where nothing may be looked at."""
    scores = Q @ K.transpose(-2, -1) / K.size(-1) ** 0.5
    if mask is not None:
        scores = scores + (~mask).to(scores.dtype) * -1e9  # should be masked_fill with finfo.min, then a zero fill
    return torch.softmax(scores, dim=-1) @ V


ZOO: tuple[Callable[..., Tensor], ...] = (
    softmax_over_queries, no_scaling, scaling_by_d_model, heads_split_by_view,
    heads_merged_by_view, inverted_mask, hidden_diagonal, minus_1e9,
)
