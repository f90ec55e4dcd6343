"""Other ways to score a query against a key: the additive one of 2014."""

import torch
from torch import Tensor, nn

from attn.checks import check_input, check_look, check_pair, check_size, check_value
from attn.functional import masked_softmax
from attn.masks import hide


class AdditiveAttention(nn.Module):
    """Attention whose scores are w_vᵀ tanh(W_q q + W_k k): a small network compares, so q and k may differ in size.

    Args:
        d_q: size of a query.
        d_k: size of a key.
        d_hidden: size of the hidden layer.

    Called on Q (…, n, d_q), K (…, m, d_k), V (…, m, d_v), returns (…, n, d_v). A query that may look at nothing gets 0.

    >>> layer = AdditiveAttention(d_q=2, d_k=3, d_hidden=5)
    >>> Q, K, V = torch.ones(1, 2), torch.ones(2, 3), torch.tensor([[10.0], [20.0]])
    >>> layer(Q, K, V).detach().round(decimals=1)  # equal keys: the plain mean
    tensor([[15.]])

    Source: Bahdanau et al. 2014, appendix A.1.2, arXiv:1409.0473.
    """

    def __init__(self, d_q: int, d_k: int, d_hidden: int) -> None:
        for name, size in (("d_q", d_q), ("d_k", d_k), ("d_hidden", d_hidden)):
            check_size(name, size)
        super().__init__()
        self.W_q = nn.Linear(d_q, d_hidden, bias=False)
        self.W_k = nn.Linear(d_k, d_hidden, bias=False)
        self.w_v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, Q: Tensor, K: Tensor, V: Tensor, *, mask: Tensor | None = None) -> Tensor:
        check_value(K, V)
        return self.weights(Q, K, mask=mask) @ hide(Q, K, V, mask)[2]  # (…, n, d_v)

    def weights(self, Q: Tensor, K: Tensor, *, mask: Tensor | None = None) -> Tensor:
        """How much each query looks at each key: (…, n, m)."""
        scores = self.scores(Q, K)
        check_look(tuple(scores.shape), scores.dtype, mask, False, None)
        return masked_softmax(scores, mask)

    def scores(self, Q: Tensor, K: Tensor) -> Tensor:
        """How well each query matches each key: (…, n, m), by way of (…, n, m, d_hidden)."""
        check_input("query", Q, self.W_q)
        check_input("key", K, self.W_k)
        check_pair("query", Q, "key", K)
        hidden = torch.tanh(self.W_q(Q).unsqueeze(-2) + self.W_k(K).unsqueeze(-3))  # (…, n, m, d_hidden)
        scores: Tensor = self.w_v(hidden).squeeze(-1)  # (…, n, m)
        return scores
