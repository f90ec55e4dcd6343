"""One module a figure: draw(words) gives SVG that follows light and dark; attn does the sums."""

import importlib
from functools import cache
from html import escape

import yaml


@cache  # pages are built again and again under `mkdocs serve`; hooks/fresh.py forgets all of this when code changes
def figure(module: str, source: str) -> str:
    """The HTML of a figure fence: what docs/figures/<module>.py draws from the words in it, and the caption."""
    words = yaml.safe_load(source)
    caption = escape(words.pop("caption", ""))
    drawing = importlib.import_module(f"figures.{module}").draw(words)
    if "<path" not in drawing and "<rect" not in drawing:
        raise ValueError("it draws nothing")
    caption = caption and f"<figcaption>{caption}</figcaption>"
    return f'<figure class="drawn" data-search-exclude>{drawing}{caption}</figure>'
