"""The words of the site, from docs/terms.toml, and what is written in place of one by mistake."""

import re
import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from sybil import Document

from promise.fences import Fences, is_run
from promise.numbers import COMMENT, STRIP

TABLE = Path(__file__).parents[1] / "terms.toml"
ABOUT = re.compile(r"[ \t]*<!--\s*about:(?P<words>.*?)-->")  # its line speaks about words that are not ours
UNREAD = re.compile(  # where no word is looked for: comments, addresses, ids, code and formulas
    r"<!--.*?-->|\]\([^)\n]*\)|\{:?[ ]*#[^}\n]*\}|https?://[^\s)>]+"
    r"|(?<!`)(`+)(?!`)[^\n]+?(?<!`)\1(?!`)|\$\$.+?\$\$|\$[^$\n]+\$",
    re.S,
)
HAN = "\u3400-\u9fff"


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
    avoid: dict[str, list[str]] = field(default_factory=dict)
    apart: tuple[str, ...] = ()
    tooltip: bool = True

    def forms(self, language: str) -> list[str]:
        """How a page in the language may write it."""
        return [getattr(self, language), *(form for form in self.short if language == "zh" or not has_han(form))]


def load() -> list[Term]:
    return parse(TABLE.read_text("utf-8"))


@cache
def parse(table: str) -> list[Term]:
    groups = tomllib.loads(table).items()
    return [Term(group, id, **entry) for group, entries in groups for id, entry in entries.items()]


def has_han(text: str) -> bool:
    return bool(re.search(f"[{HAN}]", text))


def written(form: str) -> str:
    """A pattern for a word in running text: Chinese knows no boundaries, Latin words have them, and a plural."""
    spaced = re.sub(rf"(?<=[{HAN}])(?=[A-Za-z])|(?<=[A-Za-z])(?=[{HAN}])", " ", form)
    pattern = " ?".join(map(re.escape, spaced.split())) if has_han(form) else re.escape(form).replace(r"\-", "[-–]")
    before = r"(?<![A-Za-z0-9_-])" if re.match(r"\w", form, re.A) else ""
    after = r"s?(?![A-Za-z0-9_-])" if re.search(r"\w\Z", form, re.A) else ""
    return f"{before}{pattern}{after}"


def mistaken(markdown: str, language: str, page: str = ""):
    """(line, the words found, what to write) wherever a page writes what a term says to avoid."""
    text = prose(markdown)
    about = {}
    for match in ABOUT.finditer(markdown):
        words = {word.strip().lower() for word in match["words"].split(";")}
        about.setdefault(markdown.count("\n", 0, match.start()), set()).update(words)
    bound = r"\b" if language == "en" else ""
    for term in load():
        for pattern in () if page in term.apart else term.avoid.get(language, ()):
            plural = "s?" if language == "en" else ""
            for match in re.finditer(f"{bound}(?:{pattern}){plural}{bound}", text, re.I | re.A):
                line = text.count("\n", 0, match.start())
                if match[0].lower() not in about.get(line, ()):
                    yield line + 1, match[0], getattr(term, language)


def prose(markdown: str) -> str:
    """What a reader reads of a page as words: of code that runs, only comments; every line keeps its number."""
    for fence in Fences.lexer(Document(markdown, "page.md")):
        if is_run(fence.lexemes["info"]):
            first, newline, code = markdown[fence.start : fence.end].partition("\n")
            comments = "\n".join("".join(COMMENT.findall(line)).rjust(len(line)) for line in code.split("\n"))
            markdown = markdown[: fence.start] + first + newline + comments + markdown[fence.end :]
    return UNREAD.sub(blank, STRIP.sub(blank, markdown))


def blank(match):
    return re.sub(r"[^\n]", "\0", match[0])
