"""The logo: the matrix of the worked example, 2×2, as a tiny heatmap. A file of its own, so its colours are fixed."""

import torch

from attn import attention_weights

COLOURS = "path{fill:#c2410c}@media(prefers-color-scheme:dark){path{fill:#fb923c}}"


def draw():
    weights = attention_weights(torch.eye(2), torch.eye(2)).tolist()
    cells = "".join(
        f'<path d="M{1 + 16 * j} {1 + 16 * i}h14v14h-14z" opacity="{weight:.2f}"/>'
        for i, row in enumerate(weights)
        for j, weight in enumerate(row)
    )
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><style>{COLOURS}</style>{cells}</svg>'
