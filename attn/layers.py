"""Attention with learned projections: the article's layer, and multi-head attention."""

from typing import Self

import torch
from torch import Tensor, nn

from attn.cache import KVCache
from attn.checks import check_divides, check_dropout, check_input, check_look, check_pair, check_size
from attn.functional import attention_weights
from attn.fused import fused_attention


class SelfAttention(nn.Module):
    """One head of self-attention, softmax(QKᵀ/√d_k)V: each word asks with its Q, is matched by its K and gives its V.

    The article divides by √d_k after the product, which overflows float16 beyond 65504 and gives NaN:
    `MultiHeadAttention(d_model, 1)` divides first.

    Args:
        d_model: size of a word's vector; Q, K and V have the same.

    Called on x (…, n, d_model), returns (…, n, d_model).

    >>> _ = torch.manual_seed(42)
    >>> x = torch.randn(4, 8)
    >>> layer = SelfAttention(d_model=8)
    >>> output = layer(x)
    >>> loss = nn.functional.mse_loss(output, torch.randn_like(output))
    >>> f"{loss.item():.4f}"
    '0.8152'

    Source: Vaswani et al. 2017, section 3.2.1, arXiv:1706.03762.
    """

    def __init__(self, d_model: int) -> None:
        check_size("d_model", d_model)
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor) -> Tensor:
        check_input("x", x, self.W_q)
        Q = self.W_q(x)  # (…, n, d_model)
        K = self.W_k(x)
        V = self.W_v(x)
        scores = Q @ K.transpose(-2, -1) / (K.size(-1) ** 0.5)  # (…, n, n)
        weights = torch.softmax(scores, dim=-1)
        output: Tensor = weights @ V  # (…, n, d_model)
        return output


class MultiHeadAttention(nn.Module):
    """h attentions side by side, each on its own projection: [head_1, …, head_h]W_o, head_i = attention(Q_i, K_i, V_i).

    With `memory`, the queries come from x and the keys and values from `memory` (cross-attention). With fewer
    `num_kv_heads` than heads, neighboring heads share their keys and values (grouped-query attention). With `cache`,
    `causal` must be True.

    Args:
        d_model: size of a word's vector.
        num_heads: h; d_k = d_v = d_model / h.
        num_kv_heads: heads of keys and values, a divisor of h; h unless given.
        bias: whether the projections add a bias.
        dropout: the share of weights dropped in training; none in eval.

    Called on x (…, n, d_model), returns (…, n, d_model). A mask has the dimensions of the scores, (…, h, n, m).

    >>> layer = MultiHeadAttention(d_model=8, num_heads=2)
    >>> x = torch.ones(3, 5, 8)
    >>> layer(x).shape
    torch.Size([3, 5, 8])
    >>> layer.weights(x, causal=True)[0, 0].detach().round(decimals=2)
    tensor([[1.0000, 0.0000, 0.0000, 0.0000, 0.0000],
            [0.5000, 0.5000, 0.0000, 0.0000, 0.0000],
            [0.3300, 0.3300, 0.3300, 0.0000, 0.0000],
            [0.2500, 0.2500, 0.2500, 0.2500, 0.0000],
            [0.2000, 0.2000, 0.2000, 0.2000, 0.2000]])

    Source: Vaswani et al. 2017, section 3.2.2, arXiv:1706.03762; Ainslie et al. 2023, arXiv:2305.13245.
    """

    def __init__(
        self, d_model: int, num_heads: int, *, num_kv_heads: int | None = None, bias: bool = True, dropout: float = 0.0
    ) -> None:
        num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
        check_divides("num_heads", num_heads, "d_model", d_model)
        check_divides("num_kv_heads", num_kv_heads, "num_heads", num_heads)
        check_dropout(dropout)
        super().__init__()
        self.num_heads, self.num_kv_heads, self.dropout = num_heads, num_kv_heads, dropout
        d_kv = d_model // num_heads * num_kv_heads
        self.W_q = nn.Linear(d_model, d_model, bias=bias)
        self.W_k = nn.Linear(d_model, d_kv, bias=bias)
        self.W_v = nn.Linear(d_model, d_kv, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(
        self, x: Tensor, memory: Tensor | None = None, *,
        mask: Tensor | None = None, causal: bool = False, bias: Tensor | None = None, cache: KVCache | None = None,
    ) -> Tensor:
        """x looks at itself, or at `memory` (…, m, d_model), or at itself and all that went through `cache` before."""
        Q, K, V = self._project(x, x if memory is None else memory)
        if cache is not None:
            if memory is not None:
                raise ValueError("cache is for self-attention: give memory or cache, not both")
            check_look((*Q.shape[:-1], cache.length + K.shape[-2]), Q.dtype, mask, causal, bias)  # before it is filled
            if not causal:
                raise ValueError("causal must be True with a cache, as old words never look at new ones: it is False")
            K, V = cache.append(K, V)
        dropout = self.dropout if self.training else 0.0
        heads = fused_attention(Q, self._share(K), self._share(V), mask=mask, causal=causal, bias=bias, dropout=dropout)
        output: Tensor = self.W_o(heads.transpose(-3, -2).flatten(-2))  # (…, n, d_model)
        return output

    def weights(
        self, x: Tensor, memory: Tensor | None = None, *,
        mask: Tensor | None = None, causal: bool = False, bias: Tensor | None = None,
    ) -> Tensor:
        """How much each query looks at each key, in each head, before dropout: (…, h, n, m)."""
        Q, K, _ = self._project(x, x if memory is None else memory)
        return attention_weights(Q, self._share(K), mask=mask, causal=causal, bias=bias)

    @classmethod
    def from_torch(cls, layer: nn.MultiheadAttention) -> Self:
        """A copy of torch's layer that gives the same numbers and is frozen alike; here the batch always comes first.

        Raises:
            ValueError: the layer has what this one lacks: `bias_k`, `add_zero_attn`, `kdim` or `vdim`.
        """
        if not isinstance(layer, nn.MultiheadAttention):
            raise TypeError(f"layer must be an nn.MultiheadAttention: it is {type(layer).__name__}")
        if layer.bias_k is not None or layer.add_zero_attn or layer.in_proj_weight is None:
            raise ValueError("layer must have no bias_k, bias_v, add_zero_attn, kdim or vdim: it has one of them")
        with torch.device("cpu"), torch.random.fork_rng(devices=[]):  # what is drawn here is thrown away
            new = cls(layer.embed_dim, layer.num_heads, bias=layer.in_proj_bias is not None, dropout=layer.dropout)
        new.to(layer.in_proj_weight).train(layer.training)
        for name, packed in (("weight", layer.in_proj_weight), ("bias", layer.in_proj_bias)):
            if packed is not None:
                out = getattr(layer.out_proj, name)
                for W, x in zip((new.W_q, new.W_k, new.W_v, new.W_o), (*packed.chunk(3), out), strict=True):
                    learns = (out if W is new.W_o else packed).requires_grad
                    W.get_parameter(name).requires_grad_(learns).data.copy_(x)
        return new

    def _project(self, x: Tensor, source: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        check_input("x", x, self.W_q)
        if source is not x:
            check_input("memory", source, self.W_k)
            check_pair("x", x, "memory", source)
        Q = self.W_q(x).unflatten(-1, (self.num_heads, -1)).transpose(-3, -2)  # (…, h, n, d_k)
        K = self.W_k(source).unflatten(-1, (self.num_kv_heads, -1)).transpose(-3, -2)  # (…, num_kv_heads, m, d_k)
        V = self.W_v(source).unflatten(-1, (self.num_kv_heads, -1)).transpose(-3, -2)
        return Q, K, V

    def _share(self, x: Tensor) -> Tensor:
        """Each head of keys or values, as often as it has query heads."""
        if self.num_kv_heads == self.num_heads:
            return x
        return x.repeat_interleave(self.num_heads // self.num_kv_heads, dim=-3)  # (…, h, m, d_k)
