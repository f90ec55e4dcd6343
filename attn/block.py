"""A whole Transformer block: words look at each other, then each thinks for itself."""

from torch import Tensor, nn

from attn.cache import KVCache
from attn.checks import check_input, check_size
from attn.layers import MultiHeadAttention


class TransformerBlock(nn.Module):
    """x + attention(norm(x)), then x + feed_forward(norm(x)): the pre-norm form; 2017 normed after each sum.

    Args:
        d_model: size of a word's vector.
        num_heads: heads of attention.
        d_ff: size of the feed-forward layer; 4 · d_model unless given.
        num_kv_heads, bias, dropout: as in `MultiHeadAttention`; dropout falls on both branches, too.

    Called on x (…, n, d_model), returns (…, n, d_model).

    >>> block = TransformerBlock(d_model=8, num_heads=2)
    >>> sum(p.numel() for p in block.feed_forward.parameters())
    552
    >>> sum(p.numel() for p in block.parameters())
    872

    Source: Vaswani et al. 2017, arXiv:1706.03762; Xiong et al. 2020, arXiv:2002.04745, for pre-norm.
    """

    def __init__(
        self, d_model: int, num_heads: int, *,
        d_ff: int | None = None, num_kv_heads: int | None = None, bias: bool = True, dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads, num_kv_heads=num_kv_heads, bias=bias, dropout=dropout)
        d_ff = 4 * d_model if d_ff is None else d_ff
        check_size("d_ff", d_ff)
        self.norm_before_attention = nn.LayerNorm(d_model, bias=bias)
        self.norm_before_feed_forward = nn.LayerNorm(d_model, bias=bias)
        self.feed_forward = nn.Sequential(
            nn.Linear(d_model, d_ff, bias=bias), nn.GELU(), nn.Dropout(dropout), nn.Linear(d_ff, d_model, bias=bias)
        )
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, x: Tensor, *,
        mask: Tensor | None = None, causal: bool = False, bias: Tensor | None = None, cache: KVCache | None = None,
    ) -> Tensor:
        check_input("x", x, getattr(self.attention, "W_q", self.attention))
        attended = self.attention(self.norm_before_attention(x), mask=mask, causal=causal, bias=bias, cache=cache)
        x = x + self.dropout(attended)
        output: Tensor = x + self.dropout(self.feed_forward(self.norm_before_feed_forward(x)))  # (…, n, d_model)
        return output
