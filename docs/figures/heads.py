"""One sentence as several heads see it: who looks (left) at whom (right); a heavier weight is a thicker line."""

import torch

from attn import attention_weights

from figures.drawing import ATTENTION, label, sheet, svg
from figures.heatmap import table

WIDTH, STEP, TOP = 340, 36, 48  # of the figure; from word to word; where the first word stands


def draw(words):
    """`words`: title, description, corner, the sentence, names of the heads, Q and K with a matrix for each head."""
    sentence = words["sentence"]
    Q, K = (torch.tensor(words[name], dtype=torch.float32) for name in "QK")
    weights = attention_weights(Q, K)  # one matrix for each head
    panel = WIDTH / len(weights)
    with sheet(WIDTH, TOP + STEP * len(sentence) - 12) as (fig, ax):
        for place, (name, head) in enumerate(zip(words["names"], weights.tolist(), strict=True)):
            label(ax, panel * (place + 0.5), 14, name, weight="bold")
            looks(ax, panel * place + 50, panel * (place + 1) - 50, sentence, head)
        picture = svg(fig, words["title"], words["description"])
    tables = [
        table(head, sentence, sentence, {"title": name, "corner": words["corner"]})
        for name, head in zip(words["names"], weights, strict=True)
    ]
    return picture + "".join(tables)


def looks(ax, left, right, sentence, weights):
    for i, word in enumerate(sentence):
        label(ax, left - 6, TOP + STEP * i, word, ha="right")
        label(ax, right + 6, TOP + STEP * i, word, ha="left")
        for j, weight in enumerate(weights[i]):
            ends = (left, right), (TOP + STEP * i, TOP + STEP * j)
            look = {"linewidth": 0.5 + 8 * weight, "alpha": round(0.2 + 0.7 * weight, 3)}
            ax.plot(*ends, color=ATTENTION, solid_capstyle="butt", **look)
