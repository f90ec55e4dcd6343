"""Positions as clocks: each pair of numbers of `sinusoidal` is a hand, the first fast, the next ones slower."""

import torch
from matplotlib.patches import Circle

from attn import sinusoidal

from figures.drawing import FAINT, INK, label, sheet, svg

WIDTH, LEFT, TOP, STEP, RADIUS = 340, 84, 60, 46, 18


def draw(words):
    """`words`: title, description, names of columns (position) and rows (pair), the positions, d_model."""
    positions, d_model = words["positions"], words["d_model"]
    hands = sinusoidal(max(positions) + 1, d_model)[torch.tensor(positions)].unflatten(-1, (-1, 2)).tolist()
    with sheet(WIDTH, TOP + STEP * (d_model // 2) - 20) as (fig, ax):
        label(ax, LEFT + STEP * len(positions) / 2 - STEP / 2, 10, words["position"])
        for column, (position, pairs) in enumerate(zip(positions, hands, strict=True)):
            x = LEFT + STEP * column
            label(ax, x, 28, str(position), weight="bold")
            for row, (sin, cos) in enumerate(pairs):
                y = TOP + STEP * row
                ax.add_patch(Circle((x, y), RADIUS, facecolor="none", edgecolor=FAINT, linewidth=1))
                ax.plot((x, x + 0.85 * RADIUS * sin), (y, y - 0.85 * RADIUS * cos), color=INK, linewidth=2)
        for row in range(d_model // 2):
            label(ax, 4, TOP + STEP * row, words["pairs"][row], ha="left")
        return svg(fig, words["title"], words["description"])
