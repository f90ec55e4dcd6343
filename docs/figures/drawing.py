"""What all figures share: their colours, and matplotlib's SVG made fit for a page.

Figures are drawn in stand-in colours, which become CSS variables, so that one file serves light and dark; text stays
text in the reader's own font, so that Chinese needs no font while building.
"""

import hashlib
import io
import json
import re
import warnings
from contextlib import contextmanager
from html import escape

import matplotlib

matplotlib.use("svg")

from matplotlib import pyplot as plt

INK, ATTENTION, FAINT = "#010203", "#040506", "#070809"
VARIABLES = {
    INK: "currentColor",
    ATTENTION: "var(--attn)",  # the one colour, only for attention itself
    FAINT: "var(--attn-faint)",
}
LARGER, WIDEST = 1.36, 680  # than drawn, where there is room: letters of 11 are shown at 15; and the width of the text
STRENGTH = 0.55  # how opaque a weight of 1 is: a number on it stays readable, in grey too
SETTINGS = {
    "svg.fonttype": "none",
    "svg.hashsalt": "attn",
    "font.family": "sans-serif",
    "font.size": 11,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "lines.linewidth": 1.8,
}


@contextmanager
def canvas(width: float, height: float):
    """A figure of so many CSS pixels for charts; yields (figure, axes)."""
    with drawing(width, height) as fig:
        fig.set_layout_engine("constrained")
        yield fig, fig.subplots()


@contextmanager
def sheet(width: float, height: float):
    """A figure of so many CSS pixels for shapes: axes without a frame, in pixels, y downwards."""
    with drawing(width, height) as fig:
        ax = fig.add_axes((0, 0, 1, 1))
        ax.set(xlim=(0, width), ylim=(height, 0))
        ax.axis("off")
        yield fig, ax


@contextmanager
def drawing(width, height):
    with plt.rc_context(SETTINGS), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # the reader's browser has the glyph
        fig = plt.figure(figsize=(width / 72, height / 72))
        try:
            yield fig
        finally:
            plt.close(fig)


def cell(ax, x: float, y: float, width: float, height: float, text: str = "", weight: float = 0.0):
    """A cell of a matrix, its corner at (x, y); a weight of attention colours it."""
    ax.add_patch(plt.Rectangle((x, y), width, height, facecolor="none", edgecolor=FAINT, linewidth=1))
    if weight > 0:
        tint = {"facecolor": ATTENTION, "alpha": round(STRENGTH * weight, 3), "linewidth": 0}
        ax.add_patch(plt.Rectangle((x, y), width, height, **tint))
    label(ax, x + width / 2, y + height / 2, text)


def label(ax, x: float, y: float, text: str, **style):
    """Text around a point."""
    ax.text(x, y, text, **{"ha": "center", "va": "center_baseline"} | style)


def arrow(ax, start, end):
    look = {"arrowstyle": "-|>", "color": INK, "linewidth": 1.2, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", end, start, arrowprops=look)


def svg(fig, title: str, description: str) -> str:
    """The figure as inline SVG: named for those who don't see it, its ids its own, its colours the page's."""
    file = io.StringIO()
    fig.savefig(file, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = file.getvalue()
    name = "f" + hashlib.sha256(text.encode()).hexdigest()[:6]
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>|<defs>\s*<style.*?</style>\s*</defs>|<!--.*?-->", "", text, flags=re.S)
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', text))
    text = re.sub(r' id="([^"]+)"', lambda match: f' id="{name}-{match[1]}"' if match[1] in used else "", text)
    text = re.sub(r'(href="#|url\(#)', rf"\1{name}-", text)
    text = re.sub(r" font-family: [^;\"]*;| transform=\"rotate\(-0 [^\"]*\"", "", text)
    text = re.sub(
        r"<svg[^>]*?viewBox=\"([\d. ]+)\"[^>]*>", lambda head: opening(head[1], name, title, description), text
    )
    for colour, variable in VARIABLES.items():
        text = text.replace(colour, variable)
    text = re.sub(r"(\d\.\d\d)\d+", r"\1", text)
    text = re.sub(r"<g>\s*</g>", "", text)
    return re.sub(r"\s*\n\s*", " ", re.sub(r">\s+<", "><", text)).strip()


def touchable(element: str, words: dict, picture: str) -> str:
    """A picture inside the custom element that takes its place where scripts run (theme/assets/widgets)."""
    return f'<{element} data-words="{escape(json.dumps(words, ensure_ascii=False))}">{picture}</{element}>'


def opening(box: str, name: str, title: str, description: str) -> str:
    width, height = map(float, box.split()[2:])
    scale = min(LARGER, max(1, WIDEST / width))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="{box}" '
        f'width="{scale * width:.0f}" height="{scale * height:.0f}" role="img" '
        f'aria-labelledby="{name}-title {name}-desc">'
        f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-desc">{escape(description)}</desc>'
    )
