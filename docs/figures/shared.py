"""Who looks at whom before training: with one matrix for Q and K, and with two."""

import torch

from attn import attention_weights

from figures.drawing import cell, label, sheet, svg
from figures.heatmap import table

WIDTH, SIZE, TOP = 340, 15, 34  # of the figure; of a cell; where the matrices begin


def draw(words):
    """`words`: title, description, corner, names of the two, seed, n, d_model."""
    n, d_model = words["n"], words["d_model"]
    chance = torch.Generator().manual_seed(words["seed"])
    X = torch.randn(n, d_model, generator=chance)
    W_1, W_2 = torch.randn(2, d_model, d_model, generator=chance) / d_model**0.5
    both = [attention_weights(X @ W_1, X @ W) for W in (W_1, W_2)]
    panel = WIDTH / len(both)
    with sheet(WIDTH, TOP + SIZE * n + 4) as (fig, ax):
        for place, (name, weights) in enumerate(zip(words["names"], both, strict=True)):
            left = panel * (place + 0.5) - SIZE * n / 2
            label(ax, panel * (place + 0.5), 14, name)
            for i, row in enumerate(weights.tolist()):
                for j, weight in enumerate(row):
                    cell(ax, left + SIZE * j, TOP + SIZE * i, SIZE, SIZE, weight=weight)
        picture = svg(fig, words["title"], words["description"])
    numbers = [str(i + 1) for i in range(n)]
    return picture + "".join(
        table(weights, numbers, numbers, {"title": name, "corner": words["corner"]})
        for name, weights in zip(words["names"], both, strict=True)
    )
