"""The parts of a Transformer block from top to bottom, with their parameters, and the two paths that go round them."""

from matplotlib.patches import FancyBboxPatch

from attn import TransformerBlock

from figures.drawing import FAINT, INK, arrow, label, sheet, svg

WIDTH, MIDDLE, SIDE = 330, 122, 22  # of the page, of the main path, of the path round a part
ROWS = {"norm_before_attention": 66, "attention": 116, "norm_before_feed_forward": 216, "feed_forward": 266}
BRANCHES, PLUS, END = (34, 184), (160, 310), 346  # heights of the forks, the sums and the output


def draw(words):
    """`words`: title, description, input, output, norm, attention, feed_forward; d_model and num_heads."""
    block = TransformerBlock(words["d_model"], words["num_heads"])
    names = {"norm_before_attention": words["norm"], "norm_before_feed_forward": words["norm"]} | words
    with sheet(WIDTH, END + 22) as (fig, ax):
        label(ax, MIDDLE, 12, words["input"])
        label(ax, MIDDLE, END + 12, words["output"])
        for (name, y), above in zip(ROWS.items(), (22, 82, PLUS[0] + 10, 232), strict=True):
            part(ax, y, names[name], number(getattr(block, name)))
            arrow(ax, (MIDDLE, above), (MIDDLE, y - 16))
        for start, y in zip(BRANCHES, PLUS, strict=True):
            arrow(ax, (MIDDLE, y - 28), (MIDDLE, y - 9))
            around(ax, start, y)
            label(ax, MIDDLE, y, "+", fontsize=15)
        arrow(ax, (MIDDLE, PLUS[1] + 10), (MIDDLE, END))
        return svg(fig, words["title"], words["description"])


def number(part):
    return f"{sum(p.numel() for p in part.parameters()):,}"


def part(ax, y, name, count):
    look = {"boxstyle": "round,pad=0,rounding_size=5", "facecolor": "none", "edgecolor": FAINT, "linewidth": 1.4}
    ax.add_patch(FancyBboxPatch((MIDDLE - 72, y - 16), 144, 32, **look))
    label(ax, MIDDLE, y, name)
    label(ax, MIDDLE + 84, y, count, ha="left")


def around(ax, start, end):
    """The residual connection: from the main path at `start` round the parts to the sum at `end`."""
    ax.plot([MIDDLE, SIDE, SIDE], [start, start, end], color=INK, linewidth=1.2)
    arrow(ax, (SIDE, end), (MIDDLE - 10, end))
