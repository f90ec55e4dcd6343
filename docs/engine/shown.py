"""What the site shows is what was run: the code and formulas that the renderer met, held against those that were read.

A new way to write code or formulas (an indented block, \\(…\\), raw HTML) would be rendered without being checked; here
it turns the page red, whatever it is.
"""

import re
from collections import Counter
from contextlib import suppress
from functools import cache
from pathlib import Path

import yaml
from markdown import Markdown
from sybil import Region

from engine import reference, source
from engine.cache import ROOT
from engine.extension import Site, Where
from engine.page import FRONT, Page


class Shown:
    """The parser that makes one test of all that a page shows."""

    def __call__(self, page):
        end = len(page.text)
        yield Region(end, end, None, lambda example: "\n".join(f"{example.path}: {fault}" for fault in faults(page)))


def faults(page):
    """Yield what the site would show of a page and nobody has read, and what was read and is not shown."""
    code, formulas = recorded(page)
    yield from differ("code", code, [*read_code(page)])
    yield from differ("formula", formulas, [formula.tex for formula in page.formulas])


def recorded(page) -> tuple[list[str], list[str]]:
    """The code and the formulas that the site shows of a page, in its order."""
    site = Site(drawn=False)
    render(page, site)
    return site.code, site.formulas


def render(page, site) -> str:
    """The HTML of a page, without MkDocs."""
    path = Path(page.path)
    language = next((part for part in path.parts if part in {"zh", "en"}), "home")
    site.where = Where(path, path.name, language, wheel="{{ wheel }}")
    markdown = Markdown(extensions=[*settings(), site], extension_configs=settings())
    return markdown.convert(FRONT.sub("", page.text))


@cache
def settings() -> dict:
    """The Markdown extensions of mkdocs.yml, as the site has them."""
    text = re.sub(r"!ENV \[[^\]]*\]", "null", Path(ROOT, "mkdocs.yml").read_text("utf-8"))
    return {name: options or {} for name, options in yaml.safe_load(text)["markdown_extensions"].items()}


def read_code(page):
    """The code that pytest runs, compares or, of fences that only show, reads."""
    yield from (fence.code for fence in page.fences if fence.language != "figure")
    for comment in page.comments:
        if comment.kind == "source":
            with suppress(LookupError):  # a name that attn does not have, which fences.py refuses
                yield source.shown(comment.value)
        elif comment.kind == "prints":
            yield comment.value
        elif comment.kind == "reference":
            yield from (fence.code for fence in Page.of(reference.module(comment.value)).fences)


def differ(kind, shown, read):
    shown, read = (Counter(" ".join(each.split()) for each in found) for found in (shown, read))
    for each in shown - read:
        yield (
            f"the site shows this {kind}, and nothing has read it: write code in a fence and formulas as $…$ or $$…$$, "
            f"not {brief(each)}"
        )
    for each in read - shown:
        yield f"this {kind} is read, and the site does not show it as one: {brief(each)}"


def brief(text):
    return text if len(text) < 80 else f"{text[:70]} …"
