"""Keys and values computed at each step of decoding: the old ones again and again, or, with a cache, each once."""

import torch
from matplotlib.patches import Rectangle

from attn import KVCache

from figures.drawing import INK, cell, label, sheet, svg, touchable

SIZES = {  # of a model; each doubles from the first to the last, and begins with what Llama 3 8B has
    "context": {"from": 2**10, "to": 2**17, "start": 2**13},
    "layers": {"from": 8, "to": 128, "start": 32},
    "kv_heads": {"from": 1, "to": 32, "start": 8},
}
MODEL = {"d_k": 128, "bytes": 2, "model": 15}  # numbers a head, bytes a number; GiB that its 8 billion parameters take
WIDTH, LEFT, WIDE, HIGH, PANEL = 336, 60, 54, 26, 178


def draw(words):
    """`words`: title, description, the sentence, the names of the two panels (again, once), step and total.

    Under `sizes` stand the names of what a cache's weight depends on (theme/assets/widgets/write-on.js).
    """
    told = words | {"sizes": {name: {"says": says} | SIZES[name] for name, says in words["sizes"].items()}} | MODEL
    return touchable("write-on", told, picture(words))


def picture(words):
    sentence = words["sentence"]
    with sheet(WIDTH, 2 * PANEL) as (fig, ax):
        for name, cached, top in (("again", False, 30), ("once", True, 30 + PANEL)):
            panel(ax, top, words, sentence, name, steps(len(sentence), cached))
        return svg(fig, words["title"], words["description"])


def steps(n, cached):
    """For each step, how many words' keys and values are computed, and how many come from the cache."""
    cache = KVCache(capacity=n)
    for step in range(1, n + 1):
        new = torch.ones(1, 1)
        K, _ = cache.append(new, new)
        yield (len(new), len(K) - len(new)) if cached else (step, 0)


def panel(ax, top, words, sentence, name, counts):
    label(ax, 4, top - 20, words[name], ha="left", weight="bold")
    for j, word in enumerate(sentence):
        label(ax, LEFT + WIDE * (j + 0.5), top, word)
    total = 0
    for i, (new, kept) in enumerate(counts):
        y = top + 12 + HIGH * i
        label(ax, LEFT - 8, y + HIGH / 2, words["step"].format(step=i + 1), ha="right")
        for j in range(kept + new):
            if j >= kept:
                tint = {"facecolor": INK, "alpha": 0.16, "linewidth": 0}
                ax.add_patch(Rectangle((LEFT + WIDE * j, y), WIDE, HIGH, **tint))
            cell(ax, LEFT + WIDE * j, y, WIDE, HIGH, "K V" if j >= kept else "·")
        total += new
        label(ax, LEFT + WIDE * len(sentence) + 22, y + HIGH / 2, str(new))
    label(ax, LEFT + WIDE * len(sentence) + 22, top + 24 + HIGH * (i + 1), words["total"].format(total=total))
