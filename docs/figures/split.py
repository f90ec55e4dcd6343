"""Multi-head attention on one sentence: Q is cut into heads, each head has its weights, the results are joined."""

import torch

from attn import attention_weights

from figures.drawing import arrow, cell, label, sheet, svg
from figures.heatmap import table

WIDTH, LEFT, SIZE, GAP = 340, 56, 36, 26  # of the figure; where matrices begin; of a cell; between heads
TOPS = [42, 206, 370]  # where Q, the weights and the results begin


def draw(words):
    """`words`: title, description, corner, sentence, names of heads, names of rows (Q, weights, joined), Q, K, V."""
    sentence, names = words["sentence"], words["names"]
    Q, K, V = (cut(torch.tensor(words[name], dtype=torch.float32), len(names)) for name in "QKV")
    weights = attention_weights(Q, K)
    height = SIZE * len(sentence)
    middles = [LEFT + (SIZE * len(sentence) + GAP) * k + SIZE * len(sentence) / 2 for k in range(len(names))]
    with sheet(WIDTH, TOPS[-1] + height + 4) as (fig, ax):
        for middle, name in zip(middles, names, strict=True):
            label(ax, middle, 12, name, weight="bold")
            for top in TOPS[1:]:
                arrow(ax, (middle, top - 46), (middle, top - 26))
        for heads, top, name, digits in zip((Q, weights, weights @ V), TOPS, words["rows"], (0, 2, 1), strict=True):
            label(ax, LEFT, top - 12, name, ha="left")
            for i, word in enumerate(sentence):
                label(ax, LEFT - 8, top + SIZE * (i + 0.5), word, ha="right")
            for head, middle in zip(heads.tolist(), middles, strict=True):
                matrix(ax, head, middle, top, digits, heads is weights)
        picture = svg(fig, words["title"], words["description"])
    return picture + "".join(
        table(head, sentence, sentence, {"title": name, "corner": words["corner"]})
        for name, head in zip(names, weights, strict=True)
    )


def cut(x, heads):
    """(n, d_model) as (h, n, d_model / h)."""
    return x.unflatten(-1, (heads, -1)).transpose(0, 1)


def matrix(ax, rows, middle, top, digits, are_weights):
    left = middle - SIZE * len(rows[0]) / 2
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            shown = f"{value:.{digits}f}"
            cell(ax, left + SIZE * j, top + SIZE * i, SIZE, SIZE, shown, value if are_weights else 0.0)
