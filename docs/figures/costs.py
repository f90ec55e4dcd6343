"""Multiplications for each word: attention's grow with the length of the text, the other layers' do not."""

import torch
from torch.utils.flop_counter import FlopCounterMode

from attn import SelfAttention, TransformerBlock, attention

from figures.drawing import FAINT, INK, canvas, svg

WIDTH, HEIGHT = 340, 300


def draw(words):
    """`words`: title, description, length, operations, attention, whole, recurrent, feed_forward, d (8, 16, …)."""
    d = words["d"]
    whole = torch.nn.Sequential(SelfAttention(d), torch.nn.Linear(d, d))  # Q, K, V, and W_o
    recurrent, feed_forward = torch.nn.RNN(d, d), TransformerBlock(d, 8).feed_forward
    lengths = [d // 8 * i for i in range(1, 41)]
    mixing = [each(n, d, lambda x: attention(x, x, x)) for n in lengths]
    projected = [each(n, d, whole) for n in lengths]
    flat = [each(d, d, layer) for layer in (recurrent, feed_forward)]
    with canvas(WIDTH, HEIGHT) as (fig, ax):
        ax.plot([0, *lengths], [0, *mixing], color=INK)
        ax.plot([0, *lengths], [projected[0] - mixing[0], *projected], "-.", color=INK)
        for height, style in zip(flat, ("--", ":"), strict=True):
            ax.plot([0, lengths[-1]], [height, height], style, color=INK)
            for line in (mixing, projected):
                if height in line:
                    crossing = lengths[line.index(height)]
                    ax.plot([crossing, crossing], [0, height], color=FAINT, linewidth=1, zorder=0)
                    ax.plot(crossing, height, "o", color=INK, markersize=5)
        top = projected[-1]
        lift = top * 0.015
        ax.text(lengths[-1], flat[0] + lift, words["recurrent"], ha="right", va="bottom")
        ax.text(0.01 * lengths[-1], flat[1] + 2 * lift, words["feed_forward"], va="bottom")
        ax.text(lengths[26], mixing[26] - lift, words["attention"], ha="left", va="top")
        ax.text(lengths[22], projected[22] + lift, words["whole"], ha="right", va="bottom")
        ax.set(xlim=(0, lengths[-1]), ylim=(0, top), xlabel=words["length"], title=words["operations"])
        ax.set_xticks([0, d, 2 * d, 4 * d], ["0", f"d = {d}", f"2d = {2 * d}", f"4d = {4 * d}"])
        ax.set_yticks([0, *flat], [f"{tick:,}" for tick in (0, *flat)])
        ax.title.set(fontsize=11, ha="left", x=0)
        return svg(fig, words["title"], words["description"])


def each(n, d, layer):
    """The multiplications of a layer that reads n words of d numbers, for each word."""
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        layer(torch.ones(n, d))
    return counter.get_total_flops() // 2 // n
