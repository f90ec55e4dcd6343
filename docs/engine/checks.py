"""All that a page is held to, in one list."""

from engine.equations import Equations
from engine.fences import Fences
from engine.numbers import Numbers
from engine.page import Page
from engine.shown import Shown

PARSERS = (Fences(), Numbers(), Equations(), Shown())


def faults(text: str, path) -> list[str]:
    """Run the whole of a page whose Markdown is `text`: what pytest would say of it, a message for each fault."""
    found = []
    for example in Page.of(text, path, PARSERS).examples():
        try:
            example.evaluate()
        except Exception as error:
            found.append(str(error) or type(error).__name__)
    return found
