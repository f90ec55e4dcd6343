"""Attention to be written by the reader, piece by piece: each piece is run, compared with attn, and answered.

A piece that gives what a usual slip would give is told which slip.
"""

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from attn.functional import attention, attention_scores, attention_weights
from attn.labs.check import close

Step = Callable[[Tensor], Tensor]
SAYS = {  # (en, zh)
    "unwritten": ("{task}: still to be written, it gives nothing", "{task}：还没写，什么也没有返回"),
    "right": ("{task}: right, for all {count} inputs", "{task}：对了，{count}组数都对"),
    "raised": ("{task}: it raised {error}", "{task}：运行时报错，{error}"),
    "kind": ("{task}: it should give {want}, and gave {came}", "{task}：应该返回{want}，现在返回的是{came}"),
    "shape": ("{task}: the shape is {came}, and should be {want}", "{task}：形状是{came}，应该是{want}"),
    "differs": (
        "{task}: a number is {came}, and should be {want}; the inputs were of shape {shapes}",
        "{task}：有一个数是{came}，应该是{want}；输入的形状是{shapes}",
    ),
    "no_scale": ("{task}: the scores are not divided by √d_k", "{task}：分数没有除以√d_k"),
    "by_d_k": ("{task}: the scores are divided by d_k, not by its root", "{task}：分数除以了d_k，而不是它的平方根"),
    "keys_first": ("{task}: that is KQᵀ: a row must be a query", "{task}：这是KQᵀ，应该一个查询一行"),
    "over_queries": (
        "{task}: the columns sum to 1: softmax belongs along the keys, dim=-1",
        "{task}：每一列加起来是1，softmax应该沿着键的方向，也就是dim=-1",
    ),
    "no_exponential": (
        "{task}: the scores are divided by their sum, without exponentials",
        "{task}：没有取指数，直接除以了总和",
    ),
    "not_normalized": ("{task}: the rows don't sum to 1", "{task}：每一行加起来不是1"),
    "unweighted": ("{task}: that is the mean of V, whatever the weights", "{task}：这只是V的平均，没有用到权重"),
    "zeros": (
        "{task}: a score of 0 still gets a weight, as e⁰ is 1: write −∞",
        "{task}：分数写成0，照样分得到权重，因为e⁰是1：应该写−∞",
    ),
    "self_hidden": ("{task}: a word may look at itself", "{task}：词可以看自己，对角线不该遮住"),
    "past_hidden": (
        "{task}: that hides the words before, not the later ones",
        "{task}：遮反了，该遮的是后面，不是前面",
    ),
    "scrambled": (
        "{task}: a head gets pieces of several words: cut each word first, then swap the axes",
        "{task}：一个头拿到了好几个词的碎片，应该先把每个词切开，再交换轴",
    ),
    "not_swapped": (
        "{task}: words and heads are still to be swapped: (h, n, d_k)",
        "{task}：词和头的轴还没有交换，应该是(h, n, d_k)",
    ),
    "no_residual": ("{task}: what goes in is not added to what comes out", "{task}：没有把输入加回去（残差）"),
    "no_norm": ("{task}: norm is not used before attention and feed_forward", "{task}：注意力和前馈网络之前没有用norm"),
    "normed_after": (
        "{task}: norm belongs before attention and feed_forward, not after the sum",
        "{task}：norm应该在注意力和前馈网络之前，不是相加之后",
    ),
    "only_old": ("{task}: the new word must look at itself, too: append first", "{task}：新词也要看自己，先接上再看"),
    "only_new": (
        "{task}: the new word looks at itself alone: the cache is not used",
        "{task}：新词只看了自己，没有用上缓存",
    ),
}


def look(x: Tensor) -> Tensor:
    return attention(x, x, x)


def think(x: Tensor) -> Tensor:
    return x.relu() * 2


def norm(x: Tensor) -> Tensor:
    return torch.nn.functional.layer_norm(x, x.shape[-1:])


def above(scores: Tensor, diagonal: int) -> Tensor:
    return torch.ones_like(scores, dtype=torch.bool).triu(diagonal)


def whole(x: Tensor, before: Step, after: Step, residual: int = 1) -> Tensor:
    x = after(residual * x + look(before(x)))
    return after(residual * x + think(before(x)))


def appended(K: Tensor, V: Tensor, q: Tensor, k: Tensor, v: Tensor, first: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    K, V = torch.cat([K, k]), torch.cat([V, v])
    return attention(q, K[first:], V[first:]), K, V


RIGHT: dict[str, Callable[..., Any]] = {  # what each piece takes and gives
    "scores": lambda Q, K: attention_scores(Q, K),
    "weights": lambda scores: scores.softmax(dim=-1),
    "mix": lambda weights, V: weights @ V,
    "hide": lambda scores: scores.masked_fill(above(scores, 1), -torch.inf),
    "split": lambda x, num_heads: x.reshape(len(x), num_heads, -1).transpose(0, 1),
    "block": lambda x, attention, feed_forward, norm: whole(x, norm, lambda y: y),
    "step": lambda K, V, q, k, v: appended(K, V, q, k, v),
}
SLIPS: dict[str, dict[str, Callable[..., Any]]] = {
    "scores": {
        "no_scale": lambda Q, K: Q @ K.T,
        "by_d_k": lambda Q, K: Q @ K.T / K.size(-1),
        "keys_first": lambda Q, K: attention_scores(K, Q),
    },
    "weights": {
        "over_queries": lambda scores: scores.softmax(dim=0),
        "no_exponential": lambda scores: scores / scores.sum(dim=-1, keepdim=True),
        "not_normalized": lambda scores: scores.exp(),
    },
    "mix": {"unweighted": lambda weights, V: V.mean(dim=0).expand(len(weights), -1)},
    "hide": {
        "zeros": lambda scores: scores.masked_fill(above(scores, 1), 0),
        "self_hidden": lambda scores: scores.masked_fill(above(scores, 0), -torch.inf),
        "past_hidden": lambda scores: scores.masked_fill(above(scores, 1).T, -torch.inf),
    },
    "split": {
        "scrambled": lambda x, num_heads: x.reshape(num_heads, len(x), -1),
        "not_swapped": lambda x, num_heads: x.reshape(len(x), num_heads, -1),
    },
    "block": {
        "no_residual": lambda x, attention, feed_forward, norm: whole(x, norm, lambda y: y, residual=0),
        "no_norm": lambda x, attention, feed_forward, norm: whole(x, lambda y: y, lambda y: y),
        "normed_after": lambda x, attention, feed_forward, norm: whole(x, lambda y: y, norm),
    },
    "step": {
        "only_old": lambda K, V, q, k, v: (attention(q, K, V), *appended(K, V, q, k, v)[1:]),
        "only_new": lambda K, V, q, k, v: (v, *appended(K, V, q, k, v)[1:]),
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
    return SAYS[name][language == "zh"].format(task=task, **values)


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
