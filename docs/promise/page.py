"""A page as sybil sees it, from a file or from a changed text of it."""

from pathlib import Path

from sybil import Document

from promise import notebook
from promise.equations import Equations
from promise.fences import Fences, blocks
from promise.numbers import Numbers, count


class Page(Document):
    """A Markdown page, or a py:percent notebook read as one; every line keeps its number."""

    @classmethod
    def parse(cls, path, *parsers, encoding="utf-8"):
        return cls.of(notebook.read(Path(path)), path, parsers)

    @classmethod
    def of(cls, text, path, parsers=()):
        document = cls(text, str(path))
        for parser in parsers:
            for region in parser(document):
                document.add(region)
        return document


def faults(text: str, path) -> list[str]:
    """Run the whole of a page whose Markdown is `text`: what pytest would say of it, a message for each fault."""
    found = []
    for example in Page.of(text, path, (Fences(), Numbers(), Equations())).examples():
        try:
            example.evaluate()
        except Exception as error:
            found.append(str(error) or type(error).__name__)
    return found


def run(path: Path) -> tuple[int, int]:
    """How many blocks of a page are run, and how many of its numbers are bound."""
    document = Page.parse(path)
    return len(blocks(document)), count(document)
