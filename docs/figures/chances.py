"""The chances of the likeliest next words after some sentences, from the trained language model."""

import itertools

from attn.labs.next_word import chances

from figures.drawing import ATTENTION, FAINT, label, sheet, svg
from figures.writer import split, taught

WIDTH, ROW, BAR, LEFT = 400, 26, 200, 110
ENOUGH = 0.9  # of the chances: less likely words are left out


def draw(words):
    """`words`: title, description, language, sentences that break off."""
    model, _ = taught(words["language"])
    panels = [(sentence, likeliest(model, split(model, sentence))) for sentence in words["sentences"]]
    with sheet(WIDTH, sum(ROW * (len(told) + 1) + 20 for _, told in panels)) as (fig, ax):
        y = 14
        for sentence, told in panels:
            label(ax, 4, y, sentence + " ___", ha="left", fontsize=15)
            for word, chance in told:
                y += ROW
                label(ax, LEFT - 8, y + 4, word, ha="right", fontsize=14)
                for share, colour in ((1, FAINT), (chance, ATTENTION)):
                    ax.barh(y + 4, BAR * share, left=LEFT, height=16, color=colour, alpha=0.35 if share == 1 else 1)
                label(ax, LEFT + BAR + 12, y + 4, f"{chance:.2f}", ha="left", fontsize=14)
            y += ROW + 20
        return svg(fig, words["title"], words["description"])


def likeliest(model, sentence):
    """The words that share most of the chances, and at most seven."""
    told = chances(model, sentence)
    sums = itertools.accumulate(chance for _, chance in told)
    return told[: min(7, sum(1 for total in sums if total < ENOUGH) + 1)]
