"""Multiplications for each word: attention's grow with the length of the text, the other layers' do not."""

import torch
from torch.utils.flop_counter import FlopCounterMode

from attn import TransformerBlock, attention

from figures.drawing import FAINT, INK, canvas, svg

WIDTH, HEIGHT = 340, 300


def draw(words):
    """`words`: title, description, length, operations, attention, recurrent, feed_forward, d (a multiple of 8)."""
    d = words["d"]
    recurrent, feed_forward = torch.nn.RNN(d, d), TransformerBlock(d, 8).feed_forward
    lengths = [d // 8 * i for i in range(1, 41)]
    mixing = [each(n, d, lambda x: attention(x, x, x)) for n in lengths]
    flat = [each(d, d, layer) for layer in (recurrent, feed_forward)]
    with canvas(WIDTH, HEIGHT) as (fig, ax):
        ax.plot([0, *lengths], [0, *mixing], color=INK)
        for height, style in zip(flat, ("--", ":"), strict=True):
            crossing = lengths[mixing.index(height)]
            ax.plot([0, lengths[-1]], [height, height], style, color=INK)
            ax.plot([crossing, crossing], [0, height], color=FAINT, linewidth=1, zorder=0)
            ax.plot(crossing, height, "o", color=INK, markersize=5)
        lift = mixing[-1] * 0.015
        ax.text(lengths[-1], flat[0] + lift, words["recurrent"], ha="right", va="bottom")
        ax.text(0.02 * lengths[-1], flat[1] + lift, words["feed_forward"], va="bottom")
        ax.text(lengths[21], mixing[21] - lift, words["attention"], ha="left", va="top")
        ax.set(xlim=(0, lengths[-1]), ylim=(0, mixing[-1]), xlabel=words["length"], title=words["operations"])
        ax.set_xticks([0, d, 4 * d], ["0", f"d = {d}", f"4d = {4 * d}"])
        ax.set_yticks([0, *flat], [f"{tick:,}" for tick in (0, *flat)])
        ax.title.set(fontsize=11, ha="left", x=0)
        return svg(fig, words["title"], words["description"])


def each(n, d, layer):
    """The multiplications of a layer that reads n words of d numbers, for each word."""
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        layer(torch.ones(n, d))
    return counter.get_total_flops() // 2 // n
