"""Which test finds which bug of the zoo; with script, a game: name the bug that broke out in the fewest tests."""

from attn.labs.lineup import BUGS, TESTS, fewest, verdicts

from figures.drawing import FAINT, cell, label, sheet, svg, touchable

LEFT, TOP, SIDE = 150, 24, 24  # where the cells begin, and their size


def draw(words):
    """`words`: title, description, names of the bugs, tests, and what the element says (widgets/bug-detective.js)."""
    if set(words["names"]) != set(BUGS) or set(words["tests"]) != set(TESTS):
        raise ValueError(f"names must name {BUGS}, and tests {tuple(TESTS)}")
    table = verdicts()
    average, worst = fewest(table)
    told = words | {"table": table, "average": f"{average:.1f}", "worst": worst}
    return touchable("bug-detective", told, picture(words, table))


def picture(words, table):
    with sheet(LEFT + SIDE * len(TESTS) + 4, TOP + SIDE * len(BUGS) + 4) as (fig, ax):
        for j in range(len(TESTS)):
            label(ax, LEFT + SIDE * (j + 0.5), TOP - 10, str(j + 1))
        for i, bug in enumerate(words["names"]):
            y = TOP + SIDE * i
            label(ax, LEFT - 8, y + SIDE / 2, words["names"][bug], ha="right")
            for j, test in enumerate(words["tests"]):
                cell(ax, LEFT + SIDE * j, y, SIDE, SIDE, "✓" if table[bug][test] else "✗")
        ax.plot([LEFT, LEFT + SIDE * len(TESTS)], [TOP, TOP], color=FAINT)
        return svg(fig, words["title"], words["description"])
