"""The same numbers as `attention`, block by block: the idea of FlashAttention, written for reading."""

import torch
from torch import Tensor

from attn.checks import check_attention, check_size
from attn.masks import hide, visible


def blockwise_attention(
    Q: Tensor, K: Tensor, V: Tensor, *,
    mask: Tensor | None = None, causal: bool = False, bias: Tensor | None = None, scale: float | None = None,
    block: int = 256,
) -> Tensor:
    """softmax(QKᵀ/√d_k)V without the (n, m) matrix: equal up to rounding, in memory that grows with n + m, not n · m.

    That holds without a mask or bias of (n, m), and without gradients: for them, autograd keeps each block it went
    through, n · m numbers in all, unless some queries at a time go through `torch.utils.checkpoint`. A query that may
    look at nothing gets 0.

    Args:
        Q: queries (…, n, d_k).
        K: keys (…, m, d_k).
        V: values (…, m, d_v).
        mask, causal, bias, scale: as in `attention_weights`.
        block: how many queries meet how many keys at a time.

    Returns:
        (…, n, d_v).

    >>> Q = K = torch.eye(2)
    >>> V = torch.tensor([[10.0], [20.0]])
    >>> blockwise_attention(Q, K, V, block=1).round(decimals=1)
    tensor([[13.3000],
            [16.7000]])

    Source: Milakov and Gimelshein 2018, arXiv:1805.02867; Rabe and Staats 2021, arXiv:2112.05682; Dao et al. 2022,
    arXiv:2205.14135.
    """
    check_attention(Q, K, V, mask, causal, bias, scale)
    check_size("block", block)
    n, m, d_k = Q.shape[-2], K.shape[-2], Q.shape[-1]
    if isinstance(n, torch.SymInt) or isinstance(m, torch.SymInt):
        raise ValueError(f"n and m must be known to count the blocks: n is {n}, m is {m}; export fused_attention")
    Q = Q * (1 / d_k**0.5 if scale is None else scale)
    mask = None if mask is None else mask.expand(*mask.shape[:-2], n, m)
    bias = None if bias is None else bias.expand(*Q.shape[:-1], m)
    outputs = []
    for i in range(0, max(n, 1), block):
        rows = slice(i, i + block)
        q = Q[..., rows, :]  # (…, block, d_k)
        nothing = q @ K[..., :0, :].transpose(-2, -1)  # (…, block, 0): no key so far
        top = q.new_full((*q.shape[:-1], 1), torch.finfo(q.dtype).min)  # the highest score so far
        total = nothing.sum(dim=-1, keepdim=True)  # sum of exp(score - top) so far: 0
        mixed = nothing @ V[..., :0, :]  # sum of exp(score - top) · value so far: 0
        last = i + q.shape[-2] + m - n if causal else m
        for stop in range(last, 0, -block):  # from the last key to the first: only the first block meets the diagonal
            columns = slice(max(stop - block, 0), stop)
            k, v = K[..., columns, :], V[..., columns, :]
            may_look = visible(None if mask is None else mask[..., rows, columns], causal and stop == last, q, k)
            looking, k, v = hide(q, k, v, may_look)
            scores = looking @ k.transpose(-2, -1)  # (…, block, block)
            if bias is not None:
                scores = scores + bias[..., rows, columns]
            if may_look is not None:
                scores = scores.masked_fill(~may_look, -torch.inf)  # safe here: top is finite
            higher = torch.maximum(top, scores.detach().amax(dim=-1, keepdim=True))  # cancels out: no gradient
            fade = (top - higher).exp()  # what was summed under the old top counts less under the new one
            share = (scores - higher).exp()
            total = total * fade + share.sum(dim=-1, keepdim=True)
            mixed = mixed * fade + share @ v
            top = higher
        outputs.append(mixed / total.clamp(min=1))  # the top itself counts 1; below it, the row saw nothing
    return torch.cat(outputs, dim=-2).to(nothing.dtype)  # (…, n, d_v); autocast chose the dtype of products
