"""One word looking at every word of its sentence, itself included: the heavier the weight, the thicker the line."""

import torch
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from attn import attention_weights

from figures.drawing import ATTENTION, STRENGTH, label, sheet, svg

WIDTH, STEP, LOOKER, LOOKED = 340, 48, 40, 196  # what a sentence takes, or each word of a long one; heights of rows


def draw(words):
    """`words`: title, description, the sentence, looker (a word of it), Q and K, a row for each word."""
    Q, K = (torch.tensor(words[name], dtype=torch.float32) for name in "QK")
    position = words["sentence"].index(words["looker"])
    weights = attention_weights(Q, K)[position].tolist()
    return looking(words["sentence"], position, weights, words["title"], words["description"])


def looking(sentence, position, weights, title, description, step=STEP):
    step = max(WIDTH / len(sentence), step)
    places = [step * (i + 0.5) for i in range(len(sentence))]
    with sheet(step * len(sentence), LOOKED + 44) as (fig, ax):
        for word, x, weight in zip(sentence, places, weights, strict=True):
            line(ax, places[position], x, weight)
            tint = {"facecolor": ATTENTION, "alpha": round(STRENGTH * weight, 3), "linewidth": 0}
            label(ax, x, LOOKED, word, fontsize=14, color="none", bbox={"boxstyle": "round,pad=0.45"} | tint)
            label(ax, x, LOOKED, word, fontsize=14)
            label(ax, x, LOOKED + 28, f"{weight:.2f}")
        label(ax, places[position], LOOKER - 12, sentence[position], fontsize=16, weight="bold")
        return svg(fig, title, description)


def line(ax, start, end, weight, top=LOOKER, bottom=LOOKED - 18):
    middle = (top + bottom) / 2 + 9
    points = [(start, top), (start, middle), (end, middle), (end, bottom)]
    curve = Path(points, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
    look = {"linewidth": 1 + 12 * weight, "alpha": round(0.25 + 0.6 * weight, 3), "capstyle": "round", "zorder": 0}
    ax.add_patch(PathPatch(curve, facecolor="none", edgecolor=ATTENTION, **look))
