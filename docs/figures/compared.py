"""Two attention matrices side by side, such as before and after training; the page binds their numbers."""

import torch

from figures.drawing import arrow, cell, label, sheet, svg
from figures.heatmap import table

WIDTH, LEFT, TOP, SIZE, GAP = 360, 44, 40, 34, 38  # of the figure; where cells begin; of a cell; between the two


def draw(words):
    """`words`: title, description, corner, rows (words of the sentence), names of the two, weights of the two."""
    rows = [str(row) for row in words["rows"]]
    both = [torch.tensor(weights, dtype=torch.float32) for weights in words["weights"]]
    wide = SIZE * len(rows)
    with sheet(WIDTH, TOP + wide + 4) as (fig, ax):
        for i, row in enumerate(rows):
            label(ax, LEFT - 8, TOP + SIZE * (i + 0.5), row, ha="right")
        for number, (name, weights) in enumerate(zip(words["names"], both, strict=True)):
            matrix(ax, weights.tolist(), LEFT + (wide + GAP) * number, rows, name)
        arrow(ax, (LEFT + wide + 6, TOP + wide / 2), (LEFT + wide + GAP - 6, TOP + wide / 2))
        picture = svg(fig, words["title"], words["description"])
    return picture + "".join(
        table(weights, rows, rows, {"title": name, "corner": words["corner"]})
        for name, weights in zip(words["names"], both, strict=True)
    )


def matrix(ax, weights, x, rows, name):
    label(ax, x + SIZE * len(rows) / 2, 12, name, weight="bold")
    for j, column in enumerate(rows):
        label(ax, x + SIZE * (j + 0.5), TOP - 10, column)
    for i, line in enumerate(weights):
        for j, weight in enumerate(line):
            cell(ax, x + SIZE * j, TOP + SIZE * i, SIZE, SIZE, f"{weight:.2f}", weight)
