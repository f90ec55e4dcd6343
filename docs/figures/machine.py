"""The whole language model at work on a sentence: text, words, numbers, vectors, a block, chances of the next word.

A word's vector runs straight down its own line. What is computed beside the line is added to it, and attention alone
leads from line to line.
"""

from matplotlib.patches import Circle, FancyBboxPatch, PathPatch, Polygon
from matplotlib.path import Path

from attn.labs.next_word import chances, weights

from figures.drawing import ATTENTION, FAINT, INK, arrow, label, sheet, svg
from figures.writer import split, taught

WIDTH, LEFT, SIDE, LETTER = 440, 92, 12, 16  # of the page; where words begin; from a line to its branch; of letters
TEXT, WORDS, NUMBERS, VECTORS, BLOCK, MADE, CHANCES = 18, 60, 94, 116, 200, 506, 622  # heights of the rows
FORKS, NORMS, SUMS, THINKING, END = (226, 386), (246, 406), (374, 474), 440, 490  # heights in the block
TALL, BAR, ROW, SHOWN = 62, 180, 27, 3  # of a vector; of a chance of 1; of a row of chances, and how many
NARROW = "fijlrt,.;"


def draw(words):
    """`words`: title, description, language, the sentence, a word of it that the drawn head looks at (clue), names.

    Names: text, words, numbers, vectors, block, norm, attention, add, feed_forward, made, score, chances,
    rest ({count}). The start of the sentence is not drawn.
    """
    model, _ = taught(words["language"])
    sentence = split(model, words["sentence"])
    looks = weights(model, sentence)[:, 1:, 1:]  # heads × n × n
    head = looks[looks[:, -1, sentence.index(words["clue"])].argmax()].tolist()
    numbers = model.read(sentence)
    x = model.vectors(numbers).detach()
    y = model.norm(model.blocks[0](x, causal=True)).detach()
    places = spread(sentence)
    told = chances(model, sentence)
    with sheet(WIDTH, CHANCES + ROW * (SHOWN + 1)) as (fig, ax):
        name(ax, TEXT, words["text"])
        label(ax, LEFT, TEXT, words["sentence"] + " ___", ha="left", fontsize=17)
        name(ax, WORDS, words["words"])
        name(ax, NUMBERS, words["numbers"])
        for token, number, (place, width) in zip(sentence, numbers.tolist()[1:], places, strict=True):
            box(ax, place - width / 2, WORDS - 14, width, 28, 6)
            label(ax, place, WORDS, token, fontsize=LETTER)
            label(ax, place, NUMBERS, str(number), fontsize=LETTER)
        columns = [place for place, _ in places]
        name(ax, VECTORS + TALL / 2, words["vectors"])
        name(ax, MADE + TALL / 2, words["made"])
        for vectors, top in ((x[1:], VECTORS), (y[1:], MADE)):
            longest = vectors.abs().max().item()
            for column, vector in zip(columns, vectors.tolist(), strict=True):
                faded = top == MADE and column != columns[-1]
                feather(ax, column, top, [value / longest for value in vector], 0.3 if faded else 0.85)
        block(ax, columns, head, words)
        arrow(ax, (columns[-1], MADE + TALL + 4), (columns[-1], CHANCES - 16))
        label(ax, columns[-1] - 12, MADE + TALL + 18, words["score"], ha="right", fontsize=LETTER)
        ends(ax, told, words)
        return svg(fig, words["title"], words["description"])


def spread(sentence):
    """The middle of each word's line, and the width of its box."""
    wide = [max(30, 8 + LETTER * sum(map(width, word))) for word in sentence]
    gap = (WIDTH - LEFT - SIDE - sum(wide)) / (len(sentence) - 1)
    places, left = [], LEFT
    for each in wide:
        places.append((left + each / 2, each))
        left += each + gap
    return places


def width(letter):
    """About how wide a letter is, in its heights."""
    return 1 if letter > "⺀" else 0.36 if letter in NARROW else 0.56


def name(ax, y, text, **style):
    """What a row is called, on the left, a line for each line."""
    lines = text.split("\n")
    for i, line in enumerate(lines):
        label(ax, 10, y + 18 * (i - (len(lines) - 1) / 2), line, ha="left", fontsize=LETTER, **style)


def box(ax, x, y, width, height, rounding, **style):
    look = {"boxstyle": f"round,pad=0,rounding_size={rounding}", "facecolor": "none", "edgecolor": FAINT}
    ax.add_patch(FancyBboxPatch((x, y), width, height, **look | {"linewidth": 1.4} | style))


def feather(ax, x, top, values, strength):
    """A vector: for each of its numbers a bar, to the right if it is positive, to the left if not."""
    step = TALL / len(values)
    points = [(x, top)]
    for i, value in enumerate(values):
        points += [(x + 1.4 * SIDE * value, top + step * i), (x + 1.4 * SIDE * value, top + step * (i + 1))]
    points.append((x, top + TALL))
    ax.add_patch(Polygon(points, closed=True, facecolor=INK, alpha=strength, linewidth=0))


def block(ax, columns, head, words):
    """The straight lines, the branches beside them, and who looks at whom."""
    box(ax, 1, BLOCK, WIDTH - 2, END - BLOCK + 4, 12, linewidth=2)
    name(ax, BLOCK + 18, words["block"], weight="bold")
    for y in NORMS:
        name(ax, y + 5, words["norm"])
    name(ax, (NORMS[0] + SUMS[0]) / 2 + 4, words["attention"], weight="bold", color=ATTENTION)
    name(ax, THINKING, words["feed_forward"])
    for y in SUMS:
        name(ax, y, words["add"])
    for i, column in enumerate(columns):
        for j, other in enumerate(columns[: i + 1]):
            look(ax, other + SIDE, column, head[i][j], last=column == columns[-1])
    for column in columns:
        line(ax, [(column, VECTORS + TALL + 3), (column, MADE - 4)])
        for fork, norm in zip(FORKS, NORMS, strict=True):
            line(ax, [(column, fork), (column + SIDE, fork + 12), (column + SIDE, norm)])
            box(ax, column + SIDE - 5, norm, 10, 9, 2, facecolor=INK, linewidth=0)
        line(ax, [(column + SIDE, NORMS[1] + 9), (column + SIDE, SUMS[1] - 12), (column, SUMS[1])])
        wide = [(4, -14), (9, -6), (9, 6), (4, 14), (-4, 14), (-9, 6), (-9, -6), (-4, -14)]
        ax.add_patch(Polygon([(column + SIDE + dx, THINKING + dy) for dx, dy in wide], facecolor=FAINT, edgecolor=INK))
        for y in SUMS:
            ax.add_patch(Circle((column, y), 5, facecolor=INK, linewidth=0))


def line(ax, points):
    ax.plot(*zip(*points, strict=True), color=INK, linewidth=1.2, solid_joinstyle="round")


def look(ax, start, end, weight, last):
    """From what one word offers to the sum of the word that looks."""
    top, bottom = NORMS[0] + 9, SUMS[0]
    middle = (top + bottom) / 2
    curve = Path([(start, top), (start, middle), (end, middle), (end, bottom)], [Path.MOVETO, *[Path.CURVE4] * 3])
    style = {"linewidth": 0.6 + 11 * weight, "alpha": round((0.3 + 0.6 * weight) * (1 if last else 0.3), 3)}
    ax.add_patch(PathPatch(curve, facecolor="none", edgecolor=ATTENTION, capstyle="round", **style))


def ends(ax, told, words):
    """The likeliest next words with their chances, and all others together."""
    rest = told[SHOWN:]
    rows = [*told[:SHOWN], (words["rest"].format(count=len(rest)), sum(chance for _, chance in rest))]
    name(ax, CHANCES + ROW * SHOWN / 2, words["chances"])
    for row, (word, chance) in enumerate(rows):
        y = CHANCES + ROW * row + 4
        label(ax, LEFT + 100, y, word, ha="right", fontsize=LETTER, weight="bold" if row == 0 else "normal")
        for share, colour in ((1, FAINT), (chance, ATTENTION)):
            ax.barh(y, BAR * share, left=LEFT + 112, height=16, color=colour, alpha=0.35 if share == 1 else 1)
        label(ax, WIDTH - 4, y, f"{chance:.2f}", ha="right", fontsize=LETTER)
