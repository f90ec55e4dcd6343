"""Every word has a Q, a K and a V; one word's Q meets every K, its own included, and its weights mix the V."""

import torch

from attn import attention, attention_weights

from figures.drawing import INK, cell, label, plt, sheet, svg
from figures.looking import line

WIDTH, BOX, GAP, HEIGHT = 340, 84, 5, 26  # BOX at most
Q_TOP, K_TOP, V_TOP, NEW_TOP = 32, 112, 164, 244


def draw(words):
    """`words`: title, description, the sentence, looker (a word of it), result, and Q, K and V, a row for each word."""
    Q, K, V = (torch.tensor(words[name], dtype=torch.float32) for name in "QKV")
    looker = words["sentence"].index(words["looker"])
    weights = attention_weights(Q, K)[looker].tolist()
    new = attention(Q, K, V)[looker].tolist()
    step = WIDTH / len(words["sentence"])
    wide = min(BOX, step - GAP)
    places = [step * (i + 0.5) for i in range(len(words["sentence"]))]
    with sheet(WIDTH, NEW_TOP + 34) as (fig, ax):
        for i, (word, x, weight) in enumerate(zip(words["sentence"], places, weights, strict=True)):
            label(ax, x, 14, word, fontsize=16, weight="bold" if i == looker else "normal")
            line(ax, places[looker], x, weight, Q_TOP + HEIGHT, K_TOP)
            line(ax, x, WIDTH / 2, weight, V_TOP + HEIGHT, NEW_TOP)
            box(ax, x, Q_TOP, wide, f"Q {row(Q[i])}")
            box(ax, x, K_TOP, wide, f"K {row(K[i])}")
            label(ax, x, (K_TOP + HEIGHT + V_TOP) / 2, f"{weight:.2f}")
            box(ax, x, V_TOP, wide, f"V {row(V[i])}", weight)
        frame = {"facecolor": "none", "edgecolor": INK, "linewidth": 1.6}
        ax.add_patch(plt.Rectangle((places[looker] - wide / 2, Q_TOP), wide, HEIGHT, **frame))
        label(ax, WIDTH / 2, NEW_TOP + 16, f"{words['result']} ({new[0]:.2f}, {new[1]:.2f})", weight="bold")
        return svg(fig, words["title"], words["description"])


def box(ax, x, y, wide, text, weight=0.0):
    cell(ax, x - wide / 2, y, wide, HEIGHT, text, weight)


def row(vector):
    return "(" + ", ".join(f"{number:g}" for number in vector.tolist()) + ")"
