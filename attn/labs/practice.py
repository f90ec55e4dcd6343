"""Attention to be written by the reader, piece by piece: each piece is run, compared with attn, and answered.

A piece that gives what a usual slip would give is told which slip.
"""

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from attn.functional import attention, attention_scores, attention_weights
from attn.labs.check import MISTAKES, close, split_heads
from attn.masks import causal_mask

Step = Callable[[Tensor], Tensor]
SHARED = "no_scaling", "scaling_by_d_k", "softmax_over_queries"  # mistakes that the checker finds in a whole, too
SAYS = {name: MISTAKES[name] for name in SHARED} | {  # (en, zh)
    "unwritten": ("still to be written, it gives nothing", "还没写，什么也没有返回"),
    "right": ("right, for all {count} inputs", "对了，{count}组数都对"),
    "raised": ("it raised {error}", "运行时报错，{error}"),
    "kind": ("it should give {want}, and gave {came}", "应该返回{want}，现在返回的是{came}"),
    "shape": ("the shape is {came}, and should be {want}", "形状是{came}，应该是{want}"),
    "differs": (
        "a number is {came}, and should be {want}; the inputs were of shape {shapes}",
        "有一个数是{came}，应该是{want}；输入的形状是{shapes}",
    ),
    "keys_first": ("that is KQᵀ: a row must be a query", "这是KQᵀ，应该一个查询一行"),
    "no_exponential": (
        "the scores are divided by their sum, without exponentials",
        "没有取指数，直接除以了总和",
    ),
    "not_normalized": ("the rows don't sum to 1", "每一行加起来不是1"),
    "unweighted": ("that is the mean of V, whatever the weights", "这只是V的平均，没有用到权重"),
    "zeros": (
        "a score of 0 still gets a weight, as e⁰ is 1: write −∞",
        "分数写成0，照样分得到权重，因为e⁰是1：应该写−∞",
    ),
    "self_hidden": ("a word may look at itself", "词可以看自己，对角线不该遮住"),
    "past_hidden": (
        "that hides the words before, not the later ones",
        "遮反了，该遮的是后面，不是前面",
    ),
    "scrambled": (
        "a head gets pieces of several words: cut each word first, then swap the axes",
        "一个头拿到了好几个词的碎片，应该先把每个词切开，再交换轴",
    ),
    "not_swapped": (
        "words and heads are still to be swapped: (h, n, d_k)",
        "词和头的轴还没有交换，应该是(h, n, d_k)",
    ),
    "no_residual": ("what goes in is not added to what comes out", "没有把输入加回去（残差）"),
    "no_norm": ("norm is not used before attention and feed_forward", "注意力和前馈网络之前没有用norm"),
    "normed_after": (
        "norm belongs before attention and feed_forward, not after the sum",
        "norm应该在注意力和前馈网络之前，不是相加之后",
    ),
    "only_old": ("the new word must look at itself, too: append first", "新词也要看自己，先接上再看"),
    "only_new": (
        "the new word looks at itself alone: the cache is not used",
        "新词只看了自己，没有用上缓存",
    ),
}


def look(x: Tensor) -> Tensor:
    return attention(x, x, x)


def think(x: Tensor) -> Tensor:
    return x.relu() * 2


def norm(x: Tensor) -> Tensor:
    return torch.nn.functional.layer_norm(x, x.shape[-1:])


def later(scores: Tensor) -> Tensor:
    return ~causal_mask(len(scores))


def whole(x: Tensor, before: Step, after: Step, residual: int = 1) -> Tensor:
    x = after(residual * x + look(before(x)))
    return after(residual * x + think(before(x)))


def step(K: Tensor, V: Tensor, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    K, V = torch.cat([K, k]), torch.cat([V, v])
    return attention(q, K, V), K, V


RIGHT: dict[str, Callable[..., Any]] = {  # what each piece takes and gives
    "scores": attention_scores,
    "weights": lambda scores: scores.softmax(dim=-1),
    "mix": lambda weights, V: weights @ V,
    "hide": lambda scores: scores.masked_fill(later(scores), -torch.inf),
    "split": lambda x, num_heads: split_heads(x[None], num_heads, by_view=False)[0],
    "block": lambda x, attention, feed_forward, norm: whole(x, norm, lambda y: y),
    "step": step,
}
SLIPS: dict[str, dict[str, Callable[..., Any]]] = {
    "scores": {
        "no_scaling": lambda Q, K: Q @ K.T,
        "scaling_by_d_k": lambda Q, K: Q @ K.T / K.size(-1),
        "keys_first": lambda Q, K: attention_scores(K, Q),
    },
    "weights": {
        "softmax_over_queries": lambda scores: scores.softmax(dim=0),
        "no_exponential": lambda scores: scores / scores.sum(dim=-1, keepdim=True),
        "not_normalized": lambda scores: scores.exp(),
    },
    "mix": {"unweighted": lambda weights, V: V.mean(dim=0).expand(len(weights), -1)},
    "hide": {
        "zeros": lambda scores: scores.masked_fill(later(scores), 0),
        "self_hidden": lambda scores: scores.masked_fill(~later(scores).T, -torch.inf),
        "past_hidden": lambda scores: scores.masked_fill(later(scores).T, -torch.inf),
    },
    "split": {
        "scrambled": lambda x, num_heads: split_heads(x[None], num_heads, by_view=True)[0],
        "not_swapped": lambda x, num_heads: x.reshape(len(x), num_heads, -1),
    },
    "block": {
        "no_residual": lambda x, attention, feed_forward, norm: whole(x, norm, lambda y: y, residual=0),
        "no_norm": lambda x, attention, feed_forward, norm: whole(x, lambda y: y, lambda y: y),
        "normed_after": lambda x, attention, feed_forward, norm: whole(x, lambda y: y, norm),
    },
    "step": {
        "only_old": lambda K, V, q, k, v: (attention(q, K, V), *step(K, V, q, k, v)[1:]),
        "only_new": lambda K, V, q, k, v: (v, *step(K, V, q, k, v)[1:]),
    },
}


def practice(task: str, function: Callable[..., Any], language: str = "en") -> str:
    """Run a piece that a reader has written, and tell in a sentence what holds of it.

    Args:
        task: the piece, one of scores(Q, K), weights(scores), mix(weights, V), hide(scores), which is to hide what
            comes later, split(x, num_heads), block(x, attention, feed_forward, norm), and step(K, V, q, k, v), which
            appends a word to a cache and gives its output, the new K and the new V.
        function: takes what stands there in parentheses.
        language: "en" or "zh".

    >>> practice("scores", lambda Q, K: Q @ K.T)
    'scores: the scores are not divided by √d_k'
    >>> practice("scores", lambda Q, K: Q @ K.T / K.size(-1) ** 0.5)
    'scores: right, for all 3 inputs'
    """
    if task not in RIGHT:
        raise ValueError(f"task must be one of {', '.join(RIGHT)}: it is {task!r}")
    if language not in ("en", "zh"):
        raise ValueError(f"language must be 'en' or 'zh': it is {language!r}")
    told = [finding(task, function, given) for given in inputs(task)]
    name, values = next(filter(None, told), ("right", {"count": len(told)}))
    sentence = SAYS[name][language == "zh"].format(**values)
    return f"{task}：{sentence}" if language == "zh" else f"{task}: {sentence}"


def finding(task: str, function: Callable[..., Any], given: tuple[Any, ...]) -> tuple[str, dict[str, Any]] | None:
    # What is wrong with a piece on some input, and the values of its sentence; nothing if it is right.
    copies = [each.clone() if isinstance(each, Tensor) else each for each in given]
    try:
        came = function(*copies)
    except Exception as error:
        return "raised", {"error": f"{type(error).__name__}: {error}"}
    if came is None or came is ...:
        return "unwritten", {}
    want = RIGHT[task](*given)
    mine, right = listed(came), listed(want)
    if len(mine) != len(right) or not all(isinstance(each, Tensor) for each in mine):
        kinds = [" ".join(type(each).__name__ for each in some) for some in (right, mine)]
        return "kind", {"want": kinds[0], "came": kinds[1]}
    if same(mine, right):
        return None
    for slip, wrong in SLIPS[task].items():
        if same(mine, listed(wrong(*given))):
            return slip, {}
    return difference(mine, right, given)


def difference(mine: list[Tensor], right: list[Tensor], given: tuple[Any, ...]) -> tuple[str, dict[str, Any]]:
    # The first thing in which two results differ.
    for came, want in zip(mine, right, strict=True):
        if came.shape != want.shape:
            return "shape", {"came": tuple(came.shape), "want": tuple(want.shape)}
        wrong = ~torch.isclose(came.to(want), want, rtol=0, atol=1e-5)
        if wrong.any():
            shapes = ", ".join(str(tuple(each.shape)) for each in given if isinstance(each, Tensor))
            return "differs", {"came": f"{came[wrong][0]:.3f}", "want": f"{want[wrong][0]:.3f}", "shapes": shapes}
    raise AssertionError("the results are the same")


def listed(result: Any) -> list[Any]:
    return list(result) if isinstance(result, (tuple, list)) else [result]


def same(some: list[Tensor], others: list[Tensor]) -> bool:
    return all(a.shape == b.shape and close(a, b) for a, b in zip(some, others, strict=True))


def inputs(task: str) -> Iterator[tuple[Any, ...]]:
    # Three whose sizes differ, always the same.
    dice = torch.Generator().manual_seed(0)

    def draw(*shape: int) -> Tensor:
        return torch.randn(shape, generator=dice)

    for n, m, d in (3, 5, 4), (2, 7, 6), (4, 3, 2):
        Q, K, V, x = draw(n, d), draw(m, d), draw(m, d + 1), draw(n, d)
        yield {
            "scores": (Q, K),
            "weights": (draw(n, m),),
            "mix": (attention_weights(Q, K), V),
            "hide": (draw(n, n),),
            "split": (draw(m, 2 * d), 2),
            "block": (x, look, think, norm),
            "step": (K, V, draw(1, d), draw(1, d), draw(1, d + 1)),
        }[task]
