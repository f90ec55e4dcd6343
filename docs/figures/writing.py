"""The language model writes a sentence: at each step the likeliest word and the one drawn, with their chances."""

from attn.labs.next_word import chances, write

from figures.drawing import ATTENTION, STRENGTH, label, sheet, svg
from figures.writer import taught

WIDTH, LEFT, STEP, ROW, TOP = 440, 104, 150, 34, 30
SEED = 1  # of the dice


def draw(words):
    """`words`: title, description, language, and the heads of the columns: so_far, next."""
    model, _ = taught(words["language"])
    written = write(model, [], seed=SEED)
    with sheet(WIDTH, TOP + ROW * len(written)) as (fig, ax):
        label(ax, LEFT - 12, 14, words["so_far"], ha="right", fontsize=14)
        label(ax, LEFT, 14, words["next"], ha="left", fontsize=14)
        for row, drawn in enumerate(written):
            y = TOP + ROW * (row + 0.5)
            label(ax, LEFT - 12, y, f"… {written[row - 1]}" if row else "…", ha="right", fontsize=14)
            told = chances(model, written[:row])
            shown = dict(told[:1]) | {drawn: dict(told)[drawn]}
            for i, (word, chance) in enumerate(shown.items()):
                x, text = LEFT + STEP * i + 4, f"{word} {chance:.2f}"
                tint = {"facecolor": ATTENTION, "alpha": round(STRENGTH * chance, 3), "linewidth": 0}
                label(ax, x, y, text, ha="left", fontsize=14, color="none", bbox={"boxstyle": "round,pad=0.3"} | tint)
                label(ax, x, y, text, ha="left", fontsize=14, weight="bold" if word == drawn else "normal")
        return svg(fig, words["title"], words["description"])
