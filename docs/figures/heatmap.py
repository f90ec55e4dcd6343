"""Who looks at whom: the weights of Q and K as a heatmap, and as a table for those who don't see it."""

from html import escape

import torch

from attn import attention_weights, causal_mask

from figures.drawing import FAINT, cell, label, sheet, svg

SIZE = 56


def draw(words):
    """`words`: title, description, corner, rows, columns (rows if left out), Q, K, causal."""
    rows = [str(row) for row in words["rows"]]
    columns = [str(column) for column in words.get("columns", rows)]
    Q, K = (torch.tensor(words[name], dtype=torch.float32) for name in "QK")
    weights = attention_weights(Q, K, causal=words.get("causal", False))
    if weights.shape != (len(rows), len(columns)):
        named = f"{len(rows)} rows and {len(columns)} columns are named"
        raise ValueError(f"{named}, the weights are {tuple(weights.shape)}")
    hidden = ~causal_mask(*weights.shape) & words.get("causal", False)
    picture = heatmap(weights, hidden, rows, columns, words["title"], words["description"])
    return picture + table(weights, rows, columns, words, hidden)


def heatmap(weights, hidden, rows, columns, title, description):
    left, top = 16 + 9 * max(map(width, rows)), 30
    wide = max(SIZE, 12 + 8 * max(map(width, columns)))  # so that the words above don't touch
    with sheet(left + wide * len(columns) + 4, top + SIZE * len(rows) + 4) as (fig, ax):
        for j, column in enumerate(columns):
            label(ax, left + wide * (j + 0.5), top - 12, column)
        for i, row in enumerate(rows):
            label(ax, left - 10, top + SIZE * (i + 0.5), row, ha="right")
            for j in range(len(columns)):
                x, y, weight = left + wide * j, top + SIZE * i, float(weights[i, j])
                cell(ax, x, y, wide, SIZE, shown(weight, hidden[i, j]), weight)
                if hidden[i, j]:
                    ax.plot([x, x + wide], [y + SIZE, y], color=FAINT, linewidth=1)
        return svg(fig, title, description)


def shown(weight, hidden):
    """What is hidden is exactly 0, and not a small weight that was rounded."""
    return "0" if hidden else f"{weight:.2f}"


def width(word):
    """In units of a Latin letter: a Han character is about twice as wide."""
    return sum(1.6 if ord(letter) > 0x2E80 else 0.85 for letter in word)


def number(weight, hidden):
    return f"<td>{shown(weight, hidden)}</td>"


def table(weights, rows, columns, words, hidden=None):
    hidden = torch.zeros(weights.shape, dtype=torch.bool) if hidden is None else hidden
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in columns)
    body = "".join(
        f'<tr><th scope="row">{escape(row)}</th>{"".join(map(number, *line))}</tr>'
        for row, *line in zip(rows, weights.tolist(), hidden.tolist(), strict=True)
    )
    return (
        f'<div class="for-ears"><table class="weights"><caption>{escape(words["title"])}</caption><thead><tr>'
        f'<th scope="col">{escape(words["corner"])}</th>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    )
