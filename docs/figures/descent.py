"""A loss over one parameter, and the steps of training down into its valley."""

import torch

from attn import attention

from figures.drawing import ATTENTION, FAINT, INK, canvas, svg


def draw(words):
    """`words`: title, description, the axes (parameter, loss), X (its last word asks), share, start, rate, steps.

    The first of the two columns of X speaks for the first next word, which has the `share` of all cases.
    """
    X, share = torch.tensor(words["X"], dtype=torch.float32), words["share"]

    def loss(w):
        p = attention(w * X[-1:], X, X)[0].softmax(dim=-1)[0]
        return -(share * p.log() + (1 - share) * (1 - p).log())

    places = descent(loss, words["start"], words["rate"], words["steps"])
    line = torch.linspace(min(places) - 0.6, 4.0, 80)
    with canvas(440, 250) as (fig, ax):
        ax.plot(line, [loss(w).item() for w in line], color=INK, linewidth=1.5)
        losses = [loss(torch.tensor(w)).item() for w in places]
        ax.plot(places, losses, color=FAINT, linewidth=1, linestyle=":")
        ax.plot(places, losses, "o", color=ATTENTION, markersize=6)
        for number, (w, height) in enumerate(zip(places[:4], losses, strict=False)):
            ax.annotate(str(number), (w, height), xytext=(6, 6), textcoords="offset points")
        ax.set(xlabel=words["parameter"], ylabel=words["loss"])
        return svg(fig, words["title"], words["description"])


def descent(loss, start, rate, steps):
    """Where the parameter stands before the first step and after each."""
    w = torch.tensor(float(start), requires_grad=True)
    places = [w.item()]
    for _ in range(steps):
        (gradient,) = torch.autograd.grad(loss(w), w)
        with torch.no_grad():
            w -= rate * gradient
        places.append(w.item())
    return places
