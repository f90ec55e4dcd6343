"""Softmax that has seen half a row: when a larger score comes, what was counted before shrinks with all the rest."""

import torch
from matplotlib.patches import Rectangle

from figures.drawing import ATTENTION, FAINT, STRENGTH, label, sheet, svg

WIDTH, HEIGHT, FLOOR, TALL, WIDE = 340, 232, 168, 112, 30  # TALL: the height of a bar of 1


def draw(words):
    """`words`: title, description, exponentials (of each block), first, second, sum (with {total})."""
    blocks = [torch.tensor(block, dtype=torch.float32) for block in words["exponentials"]]
    seen = [torch.cat(blocks[: i + 1]) for i in range(2)]
    bars = [row / row.max() for row in seen]
    with sheet(WIDTH, HEIGHT) as (fig, ax):
        for i, (name, heights) in enumerate(zip(("first", "second"), bars, strict=True)):
            left = 12 + i * 148
            label(ax, left, 16, words[name], ha="left", weight="bold", size=14)
            for j, height in enumerate(heights.tolist()):
                x = left + j * (WIDE + 14)
                if i and j < len(bars[0]):  # how high it stood before
                    before = TALL * float(bars[0][j])
                    look = {"fill": False, "edgecolor": FAINT, "ls": ":", "lw": 1.4}
                    ax.add_patch(Rectangle((x, FLOOR - before), WIDE, before, **look))
                tall = TALL * height
                ax.add_patch(Rectangle((x, FLOOR - tall), WIDE, tall, facecolor=ATTENTION, alpha=STRENGTH, lw=0))
                label(ax, x + WIDE / 2, FLOOR + 16, f"{height:g}", size=14)
            ax.plot([left - 6, left + len(heights) * (WIDE + 14) - 8], [FLOOR, FLOOR], color=FAINT, linewidth=1)
            total = words["sum"].format(total=f"{float(heights.sum()):g}")
            label(ax, left, FLOOR + 46, total, ha="left", size=14)
        return svg(fig, words["title"], words["description"])
