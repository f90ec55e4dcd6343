"""The pictures of a site that is shared: a card for each language, 1200 × 630, and the icon of a phone's home screen.

They are pixels, so their letters need a font while building; where no font here has a language's letters, there is no
card for it.
"""

import io
from collections.abc import Sequence

from matplotlib import font_manager
from matplotlib.ft2font import FT2Font
from matplotlib.patches import Arc, Circle

from figures import landing
from figures.drawing import label, sheet
from figures.logo import PLACES

PAPER, INK, QUIET, ATTENTION = "#fdfcfa", "#23201d", "#5d5852", "#c2410c"
FACES = ("PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "Noto Sans CJK SC", "Source Han Sans SC", "DejaVu Sans")


def draw(name: str, promise: str, sentence: Sequence[str]) -> bytes | None:
    """What a link to the site looks like: its name, a sentence whose last word looks back, what it promises."""
    face = face_with(name + promise + "".join(sentence))
    if face is None:
        return None
    with sheet(1200, 630) as (fig, ax):
        style = {"family": face, "ha": "left"}
        label(ax, 90, 120, name, fontsize=64, weight="bold", color=INK, **style)
        label(ax, 90, 545, promise, fontsize=30, color=QUIET, **style)
        width = 1020 / len(sentence)
        places = [90 + width * (i + 0.5) for i in range(len(sentence))]
        arcs(ax, places, 410, landing.weights(), 30)
        for x, word in zip(places, sentence, strict=True):
            last = x == places[-1]
            label(ax, x, 455, word, fontsize=44, color=ATTENTION if last else INK, family=face)
        return png(fig)


def icon() -> bytes:
    """The logo on paper, for a phone's home screen."""
    with sheet(180, 180) as (fig, ax):
        arcs(ax, [18 + 4.5 * x for x in PLACES], 118, landing.weights(), 18, dot=11)
        return png(fig)


def arcs(ax, places, base, weights, thickest, dot=0):
    here = places[-1]
    for x, weight in zip(places[:-1], weights, strict=False):
        wide = here - x
        curve = Arc(((here + x) / 2, base), wide, wide if dot else wide * 0.5, theta1=180, theta2=360)
        curve.set(color=ATTENTION, linewidth=thickest * (0.08 + weight), capstyle="butt")
        ax.add_patch(curve)
    for x in places if dot else ():
        ax.add_patch(Circle((x, base), dot if x == here else dot / 2, color=ATTENTION))


def png(fig) -> bytes:
    file = io.BytesIO()
    fig.savefig(file, format="png", dpi=72, facecolor=PAPER, metadata={"Software": None})
    return file.getvalue()


def face_with(letters: str) -> str | None:
    """The first font of FACES that this machine has and that has all these letters."""
    wanted = {ord(letter) for letter in letters if not letter.isspace()}
    here = {entry.name: entry.fname for entry in font_manager.fontManager.ttflist}
    return next((face for face in FACES if face in here and wanted <= set(FT2Font(here[face]).get_charmap())), None)
