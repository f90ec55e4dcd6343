"""How the language model learns: the loss, and the share of held-out gaps that it finishes rightly."""

import math

from figures.drawing import ATTENTION, INK, drawing, svg
from figures.writer import taught

WIDTH, HEIGHT = 380, 300


def draw(words):
    """`words`: title, description, language, and names: loss, right, steps, even (the loss of an even guess)."""
    model, log = taught(words["language"])
    steps, losses, right = zip(*log, strict=True)
    with drawing(WIDTH, HEIGHT) as fig:
        fig.set_layout_engine("constrained")
        above, below = fig.subplots(2, 1, sharex=True)
        above.axhline(math.log(len(model.words)), color=INK, linewidth=1, linestyle=":")
        above.text(600, math.log(len(model.words)) - 0.15, words["even"], ha="right", va="top", fontsize=12)
        above.plot(steps, losses, color=INK)
        below.plot(steps, right, color=ATTENTION)
        above.set(ylim=(0, 4.6), yticks=[0, 2, 4])
        below.set(ylim=(-0.03, 1.06), yticks=[0, 0.5, 1], xticks=[0, 200, 400, 600])
        above.set_title(words["loss"], fontsize=13, loc="left")
        below.set_title(words["right"], fontsize=13, loc="left")
        below.set_xlabel(words["steps"], fontsize=12)
        return svg(fig, words["title"], words["description"])
