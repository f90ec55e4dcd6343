"""`attention` by torch's function: with a fused kernel faster, and no (n, m) matrix unless a mask must be made."""

import torch
import torch.nn.functional as F
from torch import Tensor

from attn.checks import check_attention, check_dropout
from attn.masks import hide, visible


def fused_attention(
    Q: Tensor, K: Tensor, V: Tensor, *,
    mask: Tensor | None = None, causal: bool = False, bias: Tensor | None = None, scale: float | None = None,
    dropout: float = 0.0,
) -> Tensor:
    """softmax(QKᵀ/√d_k)V through torch's `scaled_dot_product_attention`; what the layers call.

    A query that may look at nothing gets 0. Torch takes a slower path for inputs of three dimensions, and lines up its
    `is_causal` with the first query: both are seen to here. Its kernels have first derivatives only: for second ones
    and for jvp, here and in the layers, enter `torch.nn.attention.sdpa_kernel(SDPBackend.MATH)`.

    Args:
        Q: queries (…, n, d_k).
        K: keys (…, m, d_k).
        V: values (…, m, d_v).
        mask, causal, bias, scale: as in `attention_weights`.
        dropout: the share of weights to drop, always: pass 0 outside training.

    Returns:
        (…, n, d_v).

    >>> Q = K = torch.eye(2)
    >>> V = torch.tensor([[10.0], [20.0]])
    >>> fused_attention(Q, K, V).round(decimals=1)
    tensor([[13.3000],
            [16.7000]])

    Source: Dao et al. 2022, arXiv:2205.14135; Vaswani et al. 2017, arXiv:1706.03762.
    """
    check_attention(Q, K, V, mask, causal, bias, scale)
    check_dropout(dropout)
    # Torch's is_causal is ours where there are as many queries as keys, and is NaN unless the scale is positive.
    is_causal = False  # not the comparison itself, which is a symbol while torch compiles
    if causal and mask is None and bias is None and Q.shape[-2] == K.shape[-2] and (scale is None or scale > 0):
        is_causal = True
    look = visible(mask, causal and not is_causal, Q, K)
    Q, K, V = hide(Q, K, V, look)
    if bias is not None:
        look = bias if look is None else bias.masked_fill(~look, -torch.inf)
    if look is not None:
        look = lift(look if Q.ndim <= 4 else look.expand(*Q.shape[:-1], K.shape[-2]))
    output = F.scaled_dot_product_attention(
        lift(Q), lift(K), lift(V), attn_mask=look, dropout_p=dropout, is_causal=is_causal, scale=scale
    )
    return output.reshape(*Q.shape[:-1], V.shape[-1])  # (…, n, d_v)


def lift(x: Tensor) -> Tensor:
    """The same tensor with exactly four dimensions."""
    return x.flatten(0, -4) if x.ndim > 4 else x[(None,) * (4 - x.ndim)]
