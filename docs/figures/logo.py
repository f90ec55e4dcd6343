"""The logo: a word looks back, apple at the three words before it. A file of its own, so its colours are fixed."""

from figures import landing

COLOURS = ":root{color:#c2410c}@media(prefers-color-scheme:dark){:root{color:#fb923c}}"
PLACES, BASE = (4, 11.5, 19, 27.5), 24  # of the four words; the height of the line they stand on


def draw():
    here = PLACES[-1]
    arcs = "".join(arc(here, x, 1.2 + 5 * weight) for x, weight in zip(PLACES[:-1], landing.weights(), strict=False))
    dots = "".join(f'<circle cx="{x}" cy="{BASE}" r="{3.2 if x == here else 1.8}"/>' for x in PLACES)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><style>{COLOURS}</style>'
        f'<g fill="none" stroke="currentColor">{arcs}</g><g fill="currentColor">{dots}</g></svg>'
    )


def arc(start: float, end: float, width: float) -> str:
    radius = (start - end) / 2
    return f'<path d="M{start} {BASE}A{radius:g} {radius:g} 0 0 0 {end} {BASE}" stroke-width="{width:.1f}"/>'
