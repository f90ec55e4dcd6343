"""One module a figure: draw(words) gives SVG that follows light and dark; attn does the sums."""

import importlib
from html import escape

import yaml


def figure(module: str, source: str) -> str:
    """The HTML of a figure fence: what docs/figures/<module>.py draws from the words in it, and the caption."""
    words = yaml.safe_load(source)
    caption = escape(words.pop("caption", ""))
    drawing = importlib.import_module(f"figures.{module}").draw(words)
    if "<path" not in drawing and "<rect" not in drawing:
        raise ValueError("it draws nothing")
    caption = caption and f"<figcaption>{caption}</figcaption>"
    return f'<figure class="drawn" data-search-exclude>{drawing}{caption}</figure>'
