"""How the formula flows: Q and K become scores, scaled scores, weights, which mix V."""

from itertools import accumulate

import torch

from attn import attention_scores, attention_weights

from figures.drawing import arrow, cell, label, sheet, svg

SIZE, WIDTH = 26, 330
TOP, GAP = 26, 60  # of the first row of matrices, and between the rows


def draw(words):
    """`words`: title, description, the names of the steps (multiply, scale, softmax, mix) and the tensors Q, K, V."""
    Q, K, V = (torch.tensor(words[name], dtype=torch.float32) for name in "QKV")
    weights = attention_weights(Q, K)
    steps = [Q, K, attention_scores(Q, K, scale=1.0), attention_scores(Q, K), weights, V, weights @ V]
    digits = [0, 0, 0, 2, 2, 0, 2]
    names = ["Q", "K", "QKᵀ", "QKᵀ/√dₖ", words["weights"], "V", words["output"]]
    columns = [0.27, 0.73, 0.27, 0.27, 0.27, 0.73, 0.5]
    heights = [len(K), len(Q), len(Q), max(len(Q), len(V))]
    rows = [TOP, *(TOP + SIZE * above + GAP * i for i, above in enumerate(accumulate(heights), start=1))]
    tops = [rows[row] for row in (0, 0, 1, 2, 3, 3, 4)]
    with sheet(WIDTH, rows[-1] + SIZE * len(Q) + 14) as (fig, ax):
        bottoms = [
            matrix(ax, *step, name == words["weights"])
            for *step, name in zip(steps, columns, tops, digits, names, names, strict=True)
        ]
        left, right, middle = (WIDTH * part for part in (0.27, 0.73, 0.5))
        for start, end, word in [
            ((left, bottoms[0]), (left, rows[1] - 22), words["multiply"]),
            ((left, bottoms[2]), (left, rows[2] - 22), words["scale"]),
            ((left, bottoms[3]), (left, rows[3] - 22), words["softmax"]),
            ((left, bottoms[4]), (middle - 30, rows[4] - 22), ""),
            ((right, bottoms[5]), (middle + 30, rows[4] - 22), ""),
            ((right - 14, bottoms[1]), (left + 30, rows[1] - 22), ""),
        ]:
            arrow(ax, start, end)
            label(ax, start[0] - 10 if word else 0, (start[1] + end[1]) / 2, word, ha="right")
        label(ax, right, rows[4] - 6, words["mix"])
        return svg(fig, words["title"], words["description"])


def matrix(ax, tensor, centre, top, digits, name, are_weights):
    """A matrix of numbers with its name and shape above; returns where it ends."""
    rows, columns = tensor.shape
    wide = SIZE * 1.5
    x = WIDTH * centre - wide * columns / 2
    label(ax, WIDTH * centre, top - 11, f"{name}  ({rows}×{columns})", weight="bold")
    for i, row in enumerate(tensor.tolist()):
        for j, value in enumerate(row):
            cell(ax, x + wide * j, top + SIZE * i, wide, SIZE, f"{value:.{digits}f}", value if are_weights else 0.0)
    return top + SIZE * rows + 6
