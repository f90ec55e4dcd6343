"""The landing page's figure: 苹果 in a sentence about food, its vectors set by hand (food, technology)."""

import torch

from attn import attention_weights

from figures.looking import looking

VECTORS = torch.tensor([[0.0, 0.0], [0.0, 0.0], [3.0, 0.0], [1.0, 1.0]])


def draw(words):
    """`words`: title, description, the sentence; its last word looks."""
    return looking(words["sentence"], len(VECTORS) - 1, weights(), words["title"], words["description"])


def weights() -> list[float]:
    """How hard the last word looks at each."""
    return attention_weights(VECTORS, VECTORS)[-1].tolist()
