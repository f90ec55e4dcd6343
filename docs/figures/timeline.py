"""A time line, from the top down: a dot for each event, and each year named once."""

from figures.drawing import ATTENTION, FAINT, INK, label, sheet, svg

WIDTH, LEFT, STEP, TOP = 340, 58, 29, 16


def draw(words):
    """`words`: title, description, events, each with its year, what it did, and `turn: true` where the story turns."""
    events = words["events"]
    foot = TOP + STEP * (len(events) - 1)
    with sheet(WIDTH, foot + TOP) as (fig, ax):
        ax.plot([LEFT, LEFT], [TOP, foot], color=FAINT, linewidth=1.5, zorder=0)
        named = None
        for i, event in enumerate(events):
            y, turn = TOP + STEP * i, event.get("turn", False)
            if event["year"] != named:
                named = event["year"]
                label(ax, LEFT - 14, y, str(named), ha="right", size=14)
            ax.plot(LEFT, y, "o", color=ATTENTION if turn else INK, markersize=11 if turn else 6)
            label(ax, LEFT + 16, y, event["did"], ha="left", size=14, weight="bold" if turn else "normal")
        return svg(fig, words["title"], words["description"])
