"""The weights of one row of scores as bars: left as they are, right after the division by √d_k."""

import torch

from attn import attention_weights

from figures.drawing import ATTENTION, drawing, svg, touchable

WIDTH, HEIGHT = 340, 200


def draw(words):
    """`words`: title, description, scores (the largest first), d_k, unscaled, scaled, gradient, keys, numbers, says."""
    scores = torch.tensor(words["scores"], dtype=torch.float32)
    scales = {words["unscaled"]: 1.0, words["scaled"]: words["d_k"] ** -0.5}
    with drawing(WIDTH, HEIGHT) as fig:
        fig.set_layout_engine("constrained")
        panels = fig.subplots(1, len(scales), sharey=True)
        for ax, (name, scale) in zip(panels, scales.items(), strict=True):
            weights = attention_weights(torch.ones(1, 1), scores[:, None], scale=scale)[0]
            bars = ax.bar(range(1, len(scores) + 1), weights.tolist(), color=ATTENTION)
            ax.bar_label(bars, [f"{weights[0]:.2f}", *[""] * (len(scores) - 1)], padding=2)
            ax.set_title(name, fontsize=12)
            ax.set(ylim=(0, 1.12), yticks=[0, 0.5, 1], xticks=[])
            ax.set_xlabel(f"{words['keys']}\n{words['gradient']} {gradient(weights):.2f}")
        picture = svg(fig, words["title"], words["description"])
    return touchable("scale-slider", words, picture)


def gradient(weights):
    """The size of softmax's derivative where it gives these weights."""
    return float((torch.diag(weights) - weights[:, None] * weights).norm())
