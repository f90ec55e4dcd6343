"""Sums of coin tosses, term by term, as walks; most of them stay between ±√n."""

import torch

from figures.drawing import FAINT, INK, canvas, svg

WALKS = 20


def draw(words):
    """`words`: title, description, terms (how many each sum has), the axes (term, sum)."""
    terms = words["terms"]
    coins = 2.0 * torch.randint(2, (WALKS, terms), generator=torch.Generator().manual_seed(2)) - 1
    sums = torch.cat([torch.zeros(WALKS, 1), coins.cumsum(dim=-1)], dim=-1)  # each begins at 0
    places = torch.arange(terms + 1)
    with canvas(440, 260) as (fig, ax):
        for walk in sums[1:]:
            ax.plot(places, walk, color=INK, linewidth=0.8, alpha=0.5)
        ax.plot(places, sums[0], color=INK, linewidth=1.8)
        for side, name in (1, "√n"), (-1, "−√n"):
            ax.plot(places, side * places**0.5, "--", color=INK, linewidth=1.5)
            ax.text(terms + 1, side * terms**0.5, name, va="center")
        ax.axhline(0, color=FAINT, linewidth=1, zorder=0)
        ax.set(xlabel=words["term"], ylabel=words["sum"], xlim=(0, terms + 1), xticks=range(0, terms + 1, terms // 4))
        return svg(fig, words["title"], words["description"])
