"""Tables of weights side by side, such as attention before and after training; the page binds their numbers."""

import torch
from matplotlib.patches import Rectangle

from figures.drawing import INK, STRENGTH, arrow, cell, label, sheet, svg
from figures.heatmap import table

WIDTH, LEFT, TOP, SIZE, GAP = 360, 44, 40, 34, 38  # of the figure; where cells begin; of a cell; between two tables


def draw(words):
    """`words`: title, description, corner, rows (words of the sentence), names of the tables, their weights.

    The tables that come first and are no attention are `others`, so many; two tables are joined by an arrow.
    """
    rows = [str(row) for row in words["rows"]]
    tables = [torch.tensor(weights, dtype=torch.float32) for weights in words["weights"]]
    wide = SIZE * len(rows)
    with sheet(WIDTH, (TOP + wide + 4) * ((len(tables) + 1) // 2)) as (fig, ax):
        for number, (name, weights) in enumerate(zip(words["names"], tables, strict=True)):
            x, y = LEFT + (wide + GAP) * (number % 2), (TOP + wide + 4) * (number // 2)
            if number % 2 == 0:
                for i, row in enumerate(rows):
                    label(ax, x - 8, y + TOP + SIZE * (i + 0.5), row, ha="right")
            matrix(ax, weights.tolist(), x, y, rows, name, number < words.get("others", 0))
        if len(tables) == 2:
            arrow(ax, (LEFT + wide + 6, TOP + wide / 2), (LEFT + wide + GAP - 6, TOP + wide / 2))
        picture = svg(fig, words["title"], words["description"])
    return picture + "".join(
        table(weights, rows, rows, {"title": name, "corner": words["corner"]})
        for name, weights in zip(words["names"], tables, strict=True)
    )


def matrix(ax, weights, x, y, rows, name, other):
    label(ax, x + SIZE * len(rows) / 2, y + 12, name, weight="bold")
    for j, column in enumerate(rows):
        label(ax, x + SIZE * (j + 0.5), y + TOP - 10, column)
    for i, line in enumerate(weights):
        for j, weight in enumerate(line):
            left, top = x + SIZE * j, y + TOP + SIZE * i
            if other:  # the colour is for attention
                tint = {"facecolor": INK, "alpha": round(STRENGTH / 2 * weight, 3), "linewidth": 0}
                ax.add_patch(Rectangle((left, top), SIZE, SIZE, **tint))
            cell(ax, left, top, SIZE, SIZE, f"{weight:.2f}", 0 if other else weight)
