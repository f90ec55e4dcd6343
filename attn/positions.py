"""Where a word stands: added to its vector, turned into Q and K, or added to the scores."""

import torch
from torch import Tensor

from attn.checks import check_even, check_size, check_tensor


def sinusoidal(n: int, d_model: int) -> Tensor:
    """A vector for each position, to add to the word's: sin and cos of pos/10000^(2i/d_model) at 2i and 2i + 1.

    Args:
        n: number of positions.
        d_model: size of a vector, even.

    Returns:
        (n, d_model), of torch's default dtype and device.

    >>> sinusoidal(3, 4).round(decimals=2)
    tensor([[ 0.0000,  1.0000,  0.0000,  1.0000],
            [ 0.8400,  0.5400,  0.0100,  1.0000],
            [ 0.9100, -0.4200,  0.0200,  1.0000]])

    Source: Vaswani et al. 2017, section 3.5, arXiv:1706.03762.
    """
    check_size("n", n, least=0)
    check_even("d_model", d_model)
    angle = angles(n, d_model)
    return torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(-2).to(torch.empty(0))  # (n, d_model)


def rope(x: Tensor, start: int = 0) -> Tensor:
    """Turns each pair of numbers of the word at pos by the angle pos/10000^(2i/d_k); for Q and K, not for V.

    Then position enters a score only by how far apart two words are, and which comes first.

    Args:
        x: queries or keys (…, n, d_k), d_k even.
        start: position of the first word: the length of the cache when decoding.

    Returns:
        (…, n, d_k).

    >>> rope(torch.tensor([[1.0, 0.0], [1.0, 0.0]])).round(decimals=2)
    tensor([[1.0000, 0.0000],
            [0.5400, 0.8400]])

    Source: Su et al. 2021, arXiv:2104.09864; pairs are neighbors, as there.
    """
    check_tensor("x", x, least=2)
    check_size("start", start, least=0)
    check_even("d_k", x.shape[-1])
    wide = torch.promote_types(x.dtype, torch.float32)  # turning in half precision would lose digits
    angle = angles(x.shape[-2], x.shape[-1], start)
    cos, sin = angle.cos().to(x.device, wide), angle.sin().to(x.device, wide)  # (n, d_k / 2)
    a, b = x[..., 0::2], x[..., 1::2]
    turned = torch.stack((a * cos - b * sin, a * sin + b * cos), dim=-1)  # (…, n, d_k / 2, 2)
    return turned.flatten(-2).to(x.dtype)


def alibi(num_heads: int, n: int, m: int) -> Tensor:
    """A bias that lowers a score with distance: -slope · |i + m - n - j|, with slope 2^(-8k/h) in head k = 1 … h.

    The last query stands at the last key, as with `causal`.

    Args:
        num_heads: h.
        n: number of queries.
        m: number of keys.

    Returns:
        (h, n, m), to be handed in as `bias`.

    >>> alibi(2, 2, 3)[0]
    tensor([[-0.0625,  0.0000, -0.0625],
            [-0.1250, -0.0625,  0.0000]])

    Source: Press et al. 2021, arXiv:2108.12409; there only keys up to the query are seen, and h is a power of 2.
    """
    check_size("num_heads", num_heads)
    check_size("n", n, least=0)
    check_size("m", m, least=0)
    slope = 2.0 ** (-8 / num_heads * torch.arange(1, num_heads + 1))  # (h,)
    distance = (torch.arange(n)[:, None] + m - n - torch.arange(m)).abs()  # (n, m)
    return slope[:, None, None] * -distance  # (h, n, m)


def angles(n: int, d: int, start: int = 0) -> Tensor:
    """pos/10000^(2i/d) for n positions and d/2 pairs, in double precision, as far positions need, which not all
    devices have."""
    position = torch.arange(start, start + n, dtype=torch.float64, device="cpu")
    return position[:, None] / 10000 ** (torch.arange(0, d, 2, dtype=torch.float64, device="cpu") / d)  # (n, d / 2)
