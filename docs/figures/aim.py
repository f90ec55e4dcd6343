"""A query aimed at keys in the plane, and where its output falls among their values; with script, the query turns."""

import torch

from attn import attention, attention_weights

from figures.drawing import ATTENTION, FAINT, INK, arrow, label, sheet, svg, touchable

SIDE, GAP, TOP = 160, 20, 8  # of each plane; between them; above
MARGIN = 0.6  # of the plane of values around them
REACH = 4  # as in theme/assets/widgets/aim-query.js


def draw(words):
    """`words`: title, description, names, keys, values, axes, the query, and what the element says."""
    numbers = [number for value in words["values"] for number in value]
    told = words | {"range": [min(numbers) - MARGIN, max(numbers) + MARGIN]}
    return touchable("aim-query", told, picture(told))


def picture(words):
    K, V, q = (torch.tensor(words[name], dtype=torch.float32) for name in ("keys", "values", "query"))
    (weights,), (output,) = attention_weights(q[None], K).tolist(), attention(q[None], K, V).tolist()
    with sheet(2 * SIDE + GAP, SIDE + 2 * TOP) as (fig, ax):
        asks, answers = plane(ax, 0, -REACH, REACH), plane(ax, SIDE + GAP, *words["range"])
        for name, key in zip(words["names"], K.tolist(), strict=True):
            arrow(ax, asks(0, 0), asks(*key))
            label(ax, asks(*key)[0], asks(*key)[1] - 9, name)
        tip = asks(*words["query"])
        ax.plot(*zip(asks(0, 0), tip, strict=True), color=ATTENTION, linewidth=3)
        label(ax, tip[0] + 9, tip[1], "q")
        corners = [answers(*value) for value in V.tolist()]
        ax.plot(*zip(*corners, corners[0], strict=True), color=FAINT, linewidth=1)
        for (x, y), name, weight in zip(corners, words["names"], weights, strict=True):
            label(ax, x, y - 9, f"{name} {weight:.2f}")
        ax.plot(*answers(*output), "o", color=ATTENTION, markersize=9)
        return svg(fig, words["title"], words["description"])


def plane(ax, left, low, high):
    """Draw the axes of a plane; gives where a point of it is drawn."""

    def at(x, y):
        return left + SIDE * (x - low) / (high - low), TOP + SIDE * (high - y) / (high - low)

    (x, y), side = at(0, 0), {"color": INK, "linewidth": 0.6}
    ax.plot([left, left + SIDE], [y, y], **side)
    ax.plot([x, x], [TOP, TOP + SIDE], **side)
    return at
