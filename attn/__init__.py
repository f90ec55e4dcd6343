"""The attention mechanism in PyTorch: the formula is the implementation.

Letters, the same in formulas and code: n queries, m keys, d_k, d_v, d_model, h heads; … stands for any leading
dimensions. A mask is boolean, True = may look. Torch says L, S, E and num_heads for n, m, d_model and h.
"""

from attn.block import TransformerBlock
from attn.blockwise import blockwise_attention
from attn.cache import KVCache
from attn.functional import attention, attention_scores, attention_weights
from attn.fused import fused_attention
from attn.layers import MultiHeadAttention, SelfAttention
from attn.masks import causal_mask, padding_mask
from attn.positions import alibi, rope, sinusoidal
from attn.scoring import AdditiveAttention

__all__ = [
    "AdditiveAttention", "KVCache", "MultiHeadAttention", "SelfAttention", "TransformerBlock",
    "alibi", "attention", "attention_scores", "attention_weights", "blockwise_attention",
    "causal_mask", "fused_attention", "padding_mask", "rope", "sinusoidal",
]
