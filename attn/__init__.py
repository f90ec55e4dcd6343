"""The attention mechanism in PyTorch: the formula is the implementation.

Letters, the same in formulas and code: n queries, m keys, d_k, d_v, d_model, h heads; … stands for any leading
dimensions. A mask is boolean, True = may look. Torch says L, S, E and num_heads for n, m, d_model and h.
"""

from attn.cache import KVCache
from attn.functional import attention, attention_scores, attention_weights
from attn.fused import fused_attention
from attn.layers import MultiHeadAttention, SelfAttention
from attn.masks import causal_mask, padding_mask

__version__ = "0.1.0"

__all__ = [
    "KVCache",
    "MultiHeadAttention",
    "SelfAttention",
    "attention",
    "attention_scores",
    "attention_weights",
    "causal_mask",
    "fused_attention",
    "padding_mask",
]
