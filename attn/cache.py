"""Keys and values of the words so far, so that decoding computes each of them once."""

import torch
from torch import Tensor

from attn.checks import check_pair, check_size, check_value, shape


class KVCache:
    """Room for the keys and values of `capacity` words; one cache for each attention layer.

    Old keys and values never change under a causal mask, so keeping them changes nothing but rounding; the layers ask
    for `causal=True`.
    Memory is taken once, at the first `append`. What `append` returns are views: writing into them writes into the
    cache.

    Args:
        capacity: the number of words it can hold.

    >>> cache = KVCache(capacity=4)
    >>> K, V = cache.append(torch.ones(1, 2, 3), torch.ones(1, 2, 5))  # two words
    >>> K, V = cache.append(torch.zeros(1, 1, 3), torch.zeros(1, 1, 5))  # one more
    >>> K.shape, V.shape, cache.length
    (torch.Size([1, 3, 3]), torch.Size([1, 3, 5]), 3)

    Source: Shazeer 2019, arXiv:1911.02150.
    """

    def __init__(self, capacity: int) -> None:
        check_size("capacity", capacity)
        self.capacity = capacity
        self.length = 0
        self._K = self._V = torch.empty(0)

    def append(self, K: Tensor, V: Tensor) -> tuple[Tensor, Tensor]:
        """Adds K (…, n, d_k) and V (…, n, d_v), and returns all so far: (…, length, d_k) and (…, length, d_v).

        Raises:
            ValueError: the cache is full, K or V is not like those before, or gradients would have to flow.
        """
        check_value(K, V)
        if K.requires_grad or V.requires_grad:
            raise ValueError("key and value must not require gradients: use the cache under torch.no_grad()")
        start, stop = self.length, self.length + K.shape[-2]
        if stop > self.capacity:
            numbers = f"it holds {start} of {self.capacity}, {K.shape[-2]} more came"
            raise ValueError(f"cache must have room for every word: {numbers}")
        if start == 0:
            with torch.inference_mode(False):  # what inference mode makes, nothing else may write to
                self._K = K.new_empty(*K.shape[:-2], self.capacity, K.shape[-1])
                self._V = V.new_empty(*V.shape[:-2], self.capacity, V.shape[-1])
        for name, new, held in (("key", K, self._K), ("value", V, self._V)):
            check_pair(name, new, "cache", held)
            if new.shape[-1] != held.shape[-1]:
                raise ValueError(f"{name} and cache must share a size: {name} is {shape(new)}, cache is {shape(held)}")
        self._K[..., start:stop, :] = K
        self._V[..., start:stop, :] = V
        self.length = stop
        return self._K[..., :stop, :], self._V[..., :stop, :]
