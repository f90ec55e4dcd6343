"""The bugs of the zoo in a line: each in an attention that is right in all else, and tests that tell them apart.

>>> table = verdicts()
>>> [test for test in TESTS if not table["no_scaling"][test]]
['scale', 'heads_scale']
>>> len({tuple(row.values()) for row in table.values()})  # no two bugs fail the same tests
8
>>> [round(number, 2) for number in fewest(table)]
[3.12, 4]
"""

import functools
from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from attn.functional import attention
from attn.labs.check import close, data, merge_heads, split_heads
from attn.labs.zoo import ZOO

SIZES = ((2,), 6, 6)  # two sentences of six words, who ask and are asked
BUGS = tuple(bug.__name__ for bug in ZOO)


def suspect(bug: str) -> Callable[..., Tensor]:
    """Attention with heads, mask and causal mask for Q, K and V of (b, n, d_model), wrong in one place."""

    def fn(
        Q: Tensor, K: Tensor, V: Tensor, num_heads: int = 1, mask: Tensor | None = None, causal: bool = False
    ) -> Tensor:
        scale = (Q.size(-1) / (1 if bug == "scaling_by_d_model" else num_heads)) ** 0.5
        Q, K, V = (split_heads(x, num_heads, by_view=bug == "heads_split_by_view") for x in (Q, K, V))
        scores = Q @ K.transpose(-2, -1) / (1 if bug == "no_scaling" else scale)
        look = torch.ones(scores.shape[-2:], dtype=torch.bool)
        look = look if mask is None else mask != (bug == "inverted_mask")
        look = look.tril(-1 if bug == "hidden_diagonal" else 0) if causal else look
        if bug == "minus_1e9":
            scores = scores + (~look).to(scores.dtype) * -1e9
        else:
            scores = scores.masked_fill(~look, torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=-2 if bug == "softmax_over_queries" else -1)
        return merge_heads(weights @ V, by_view=bug == "heads_merged_by_view")

    return fn


def rows(fn: Callable[..., Tensor]) -> bool:
    Q, K, V = data(*SIZES)
    return close(fn(Q, K, torch.ones_like(V)), torch.ones_like(V))


def scale(fn: Callable[..., Tensor]) -> bool:
    return gap(fn, num_heads=1)


def heads_scale(fn: Callable[..., Tensor]) -> bool:
    return gap(fn, num_heads=2)


def gap(fn: Callable[..., Tensor], num_heads: int) -> bool:
    """One query, two keys: the weights say by how much their scores differ; the key is the same in every head."""
    q, k = torch.tensor([3.0, 1.0, -1.0, 2.0]), torch.tensor([[1.0, 2.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0]])
    Q, K = q.repeat(num_heads)[None, None], k.repeat(1, num_heads)[None]
    V = torch.tensor([1.0, 0.0])[None, :, None].expand(1, 2, 4 * num_heads)
    return close(fn(Q, K, V, num_heads=num_heads)[0, 0, 0], attention(q[None], k, V[0, :, :1])[0, 0])


def shuffle(fn: Callable[..., Tensor], num_heads: int = 1) -> bool:
    Q, K, V = data(*SIZES)
    order = [4, 2, 0, 5, 1, 3]
    return close(fn(Q, K[:, order], V[:, order], num_heads=num_heads), fn(Q, K, V, num_heads=num_heads))


def heads_shuffle(fn: Callable[..., Tensor]) -> bool:
    return shuffle(fn, num_heads=2)


def heads_apart(fn: Callable[..., Tensor]) -> bool:
    """What the second head is given does not change what the first one gives."""
    inputs, others = data(*SIZES), (x.roll(1, dims=-2) for x in data(*SIZES))
    changed = (torch.cat([x[..., :4], y[..., 4:]], dim=-1) for x, y in zip(inputs, others, strict=True))
    return close(fn(*changed, num_heads=2)[..., :4], fn(*inputs, num_heads=2)[..., :4])


def mask(fn: Callable[..., Tensor]) -> bool:
    """A key that is hidden may hold any value."""
    Q, K, V = data(*SIZES)
    look = torch.tensor([True, True, True, True, False, False])
    return close(fn(Q, K, late(V), mask=look), fn(Q, K, V, mask=look))


def future(fn: Callable[..., Tensor]) -> bool:
    """A word's result does not depend on the words after it."""
    Q, K, V = data(*SIZES)
    return close(fn(Q, K, late(V), causal=True)[:, :4], fn(Q, K, V, causal=True)[:, :4])


def late(V: Tensor) -> Tensor:
    """Other values for the last two words."""
    return torch.cat([V[:, :4], V[:, 4:] + 1], dim=1)


def itself(fn: Callable[..., Tensor]) -> bool:
    """With a causal mask the first word sees itself and nothing else, so it gets its own value."""
    Q, K, V = data(*SIZES)
    return close(fn(Q, K, V, causal=True)[:, 0], V[:, 0])


def large(fn: Callable[..., Tensor]) -> bool:
    Q, K, V = data(*SIZES)
    return bool(fn(1000 * Q, K, V).isfinite().all())


def half(fn: Callable[..., Tensor]) -> bool:
    """In float16, with a mask that hides every key from the first word, nothing becomes NaN."""
    Q, K, V = (x.half() for x in data(*SIZES))
    look = torch.ones(6, 6, dtype=torch.bool)
    look[0] = False
    return bool(fn(Q, K, V, mask=look).isfinite().all())


TESTS: dict[str, Callable[[Callable[..., Tensor]], bool]] = {
    "rows": rows, "scale": scale, "shuffle": shuffle, "large": large, "mask": mask, "future": future, "itself": itself,
    "half": half, "heads_scale": heads_scale, "heads_shuffle": heads_shuffle, "heads_apart": heads_apart,
}  # fmt: skip


def verdicts() -> dict[str, dict[str, bool]]:
    """Which test each bug passes."""
    return {bug: {name: test(suspect(bug)) for name, test in TESTS.items()} for bug in BUGS}


def fewest(table: Mapping[str, Mapping[str, bool]]) -> tuple[float, int]:
    """With the best choice of tests: how many it takes on average to name the bug, and how many at the worst."""

    @functools.cache
    def total(left: frozenset[str]) -> tuple[int, int]:
        if len(left) == 1:
            return 0, 0
        halves = [frozenset(bug for bug in left if table[bug][test]) for test in TESTS]
        ways = [(part, left - part) for part in halves if 0 < len(part) < len(left)]
        sums = [(len(left) + total(a)[0] + total(b)[0], 1 + max(total(a)[1], total(b)[1])) for a, b in ways]
        return min(sums)

    everyone = frozenset(table)
    tests, worst = total(everyone)
    return tests / len(everyone), worst
