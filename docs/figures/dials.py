"""RoPE on one pair of numbers: a query and a key, each turned by its position, and their dot product."""

import torch
from matplotlib.patches import Arc, Circle

from attn import rope

from figures.drawing import FAINT, arrow, label, sheet, svg

WIDTH, RADIUS, MIDDLE = 340, 46, 60  # of the figure; of a dial; the height of its center


def draw(words):
    """`words`: title, description, the names of query and key, the score's, query, key, places (of query and key)."""
    pairs = words["places"]
    with sheet(WIDTH, MIDDLE + RADIUS + 62) as (fig, ax):
        for number, places in enumerate(pairs):
            x = WIDTH / len(pairs) * (number + 0.5)
            ax.add_patch(Circle((x, MIDDLE), RADIUS, facecolor="none", edgecolor=FAINT, linewidth=1))
            vectors = (torch.tensor([words[name]], dtype=torch.float32) for name in ("query", "key"))
            q, k = (rope(vector, start)[0] for vector, start in zip(vectors, places, strict=True))
            longest = max(q.norm(), k.norm())
            for vector, name in ((q, "q"), (k, "k")):
                right, up = (RADIUS * vector / longest).tolist()
                arrow(ax, (x, MIDDLE), (x + right, MIDDLE - up))
                away = 1 + 10 / (right**2 + up**2) ** 0.5
                label(ax, x + away * right, MIDDLE - away * up, name, weight="bold")
            start, turn = angle(q), (angle(k) - angle(q) + 180) % 360 - 180
            first, last = sorted((start, start + turn))
            ax.add_patch(Arc((x, MIDDLE), 28, 28, theta1=-last, theta2=-first, edgecolor=FAINT, linewidth=1.6))
            said = (words["q"].format(places[0]), words["k"].format(places[1]), words["score"].format(f"{q @ k:.2f}"))
            for line, text in enumerate(said):
                label(ax, x, MIDDLE + RADIUS + 20 + 17 * line, text, weight="bold" if line == 2 else "normal")
        return svg(fig, words["title"], words["description"])


def angle(vector):
    """In degrees, against the clock, from the first coordinate."""
    return float(torch.atan2(vector[1], vector[0]).rad2deg())
