"""The words of the site, from docs/terms.toml, and what is written in place of one by mistake."""

import re
import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from engine.page import ADDRESS, ATTRIBUTES, CODE, COMMENT, FORMULA, HAN, Page, has_han, remarks

TABLE = Path(__file__).parents[1] / "terms.toml"
UNREAD = [COMMENT, CODE, FORMULA, ADDRESS, ATTRIBUTES]  # where no word is looked for


@dataclass(frozen=True)
class Term:
    group: str
    id: str
    zh: str
    en: str
    page: str
    means: dict[str, str]
    code: str = ""
    short: tuple[str, ...] = ()
    also: dict[str, list[str]] = field(default_factory=dict)
    find: tuple[str, ...] = ()
    avoid: dict[str, list[str]] = field(default_factory=dict)
    apart: tuple[str, ...] = ()
    tooltip: bool = True

    def forms(self, language: str) -> list[str]:
        """How a page in the language may write it."""
        return [getattr(self, language), *(form for form in self.short if language == "zh" or not has_han(form))]

    def elsewhere(self, language: str) -> list[str]:
        """What others call it: who reads Chinese meets the English names, too."""
        return [*(self.also.get("zh", []) if language == "zh" else []), *self.also.get("en", [])]


def load() -> list[Term]:
    return parse(TABLE.read_text("utf-8"))


@cache
def parse(table: str) -> list[Term]:
    groups = tomllib.loads(table).items()
    return [Term(group, id, **entry) for group, entries in groups for id, entry in entries.items()]


def written(form: str) -> str:
    """A pattern for a word in running text: Chinese knows no boundaries, Latin words have them, and a plural."""
    spaced = re.sub(rf"(?<=[{HAN}])(?=[A-Za-z])|(?<=[A-Za-z])(?=[{HAN}])", " ", form)
    pattern = " ?".join(map(re.escape, spaced.split())) if has_han(form) else re.escape(form).replace(r"\-", "[-–]")
    before = r"(?<![A-Za-z0-9_-])" if re.match(r"\w", form, re.A) else ""
    after = r"s?(?![A-Za-z0-9_-])" if re.search(r"\w\Z", form, re.A) else ""
    return f"{before}{pattern}{after}"


def mistaken(markdown: str, language: str, file: str = ""):
    """(line, the words found, what to write) wherever a page writes what a term says to avoid."""
    page = Page.of(markdown)
    text, about = prose(page), {}
    for comment in page.said("about"):  # its line speaks about words that are not ours
        words = {word.strip().lower() for word in comment.value.split(";")}
        about.setdefault(page.line(comment.start), set()).update(words)
    bound = r"\b" if language == "en" else ""
    for term in load():
        for pattern in () if file in term.apart else term.avoid.get(language, ()):
            plural = "s?" if language == "en" else ""
            for match in re.finditer(f"{bound}(?:{pattern}){plural}{bound}", text, re.I | re.A):
                line = page.line(match.start())
                if match[0].lower() not in about.get(line, ()):
                    yield line, match[0], getattr(term, language)


def prose(page: Page) -> str:
    """What a reader reads of a page as words: of code that runs, only comments; every line keeps its number."""
    text = page.text
    for fence in page.fences:
        if fence.runs:
            head, newline, code = text[fence.start : fence.end].partition("\n")
            text = text[: fence.start] + head + newline + remarks(code) + text[fence.end :]
    for pattern in UNREAD:
        text = pattern.sub(lambda match: re.sub(r"[^\n]", "\0", match[0]), text)
    return text
