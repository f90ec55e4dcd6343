"""A page, read once: where its fences, formulas, comments and inline code are is said here, and nowhere else.

The other modules ask a `Page` for its parts, or for its text without some of them; every part knows its place.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pymdownx.superfences import RE_NESTED_FENCE_START
from sybil import Document
from sybil.parsers.markdown.lexers import RawFencedCodeBlockLexer

HAN = "\u3400-\u9fff"
SHOWN = {"figure", "text", "console", "toml", "yaml"}  # fences that are never run; the decimals in them count as prose
FRONT = re.compile(r"\A---\n.*?^---$", re.M | re.S)
COMMENT = re.compile(r"<!--.*?-->", re.S)
CODE = re.compile(r"(?<![\\`])(`{1,2})(?!`)(?:[^\n]|\n(?![ \t]*\n))+?(?<!`)\1(?!`)")
ADDRESS = re.compile(r"\]\([^)\s]*|https?://[^\s)>]+")
ATTRIBUTES = re.compile(r"\{:?[ ]*[#.][^}\n]*\}")  # { #id .class }
FORMULA = re.compile(
    r"(?<!\\)\$\$(?P<display>.+?)\$\$|(?<![\\$])\$(?![\s$])(?P<inline>(?:\\.|[^\\$\n]|\n(?![ \t]*\n))+?)(?<!\s)\$", re.S
)
OURS = re.compile(  # comments that the site reads; each stands on lines of its own, but for `about`
    r"^(?P<indent>[ \t]*)<!--\s*(?P<kind>numbers|prints|source|reference|glossary):[ \t]*(?P<value>.*?)\s*-->[ \t]*\n?"
    r"|[ \t]*<!--\s*(?P<about>about):(?P<words>.*?)-->",
    re.M | re.S,
)
FENCE = RawFencedCodeBlockLexer(re.compile(r"[ \t]*(?P<info>[^\n]*)\n"))
LANGUAGE = re.compile(r"\{?\s*\.?(?P<name>[\w+-]*)")
PARTS = {"comments": COMMENT, "code": CODE, "addresses": ADDRESS, "attributes": ATTRIBUTES, "formulas": FORMULA}


@dataclass(frozen=True)
class Fence:
    start: int
    end: int
    info: str  # behind the backticks
    code: str  # without the indentation of the fence

    @property
    def language(self) -> str:
        return LANGUAGE.match(self.info)["name"]

    @property
    def runs(self) -> bool:
        return self.language not in SHOWN

    @property
    def is_session(self) -> bool:
        return self.code.lstrip().startswith(">>>")

    @property
    def unseen(self) -> bool:
        """Whether the site would print the fence as it was typed: an option without quotes."""
        return bool(RE_NESTED_FENCE_START.match("```" + self.info)["unrecognized"])


@dataclass(frozen=True)
class Formula:
    start: int
    line: int
    tex: str
    display: bool


@dataclass(frozen=True)
class Comment:
    start: int
    end: int
    kind: str
    value: str


class Page(Document):
    """The Markdown of a page as sybil's document; a py:percent notebook is read as the page that it becomes."""

    @classmethod
    def parse(cls, path, *parsers, encoding="utf-8"):
        return cls.of(read(Path(path)), path, parsers)

    @classmethod
    def of(cls, text, path="page.md", parsers=()):
        page = cls(text, str(path))
        for parser in parsers:
            for region in parser(page):
                page.add(region)
        return page

    def line(self, offset: int) -> int:
        return self.text.count("\n", 0, offset) + 1

    @cached_property
    def fences(self) -> list[Fence]:
        found = FENCE(self)
        return [Fence(each.start, each.end, each.lexemes["info"], each.lexemes["source"]) for each in found]

    @cached_property
    def comments(self) -> list[Comment]:
        """The comments that the site reads, those in fences aside."""
        found = OURS.finditer(self.without("fences"))
        return [
            Comment(
                match.end("indent") if match["kind"] else match.start(),
                match.end(),
                match["kind"] or match["about"],
                match["value"] if match["kind"] else match["words"],
            )
            for match in found
        ]

    def said(self, kind: str) -> list[Comment]:
        return [comment for comment in self.comments if comment.kind == kind]

    @cached_property
    def formulas(self) -> list[Formula]:
        found = FORMULA.finditer(self.without("front", "fences", "comments", "code"))
        return [
            Formula(
                match.start(),
                self.line(match.start()),
                match["display"] or match["inline"],
                match["display"] is not None,
            )
            for match in found
        ]

    def without(self, *parts: str) -> str:
        """The text with these parts blank, in this order; every line keeps its number."""
        text = self.text
        for part in parts:
            if part == "front":
                text = FRONT.sub(blank, text)
            elif part == "fences":
                for fence in self.fences:
                    text = text[: fence.start] + blank(text[fence.start : fence.end]) + text[fence.end :]
            else:
                text = PARTS[part].sub(blank, text)
        return text


def blank(text) -> str:
    """As many spaces; of a match, too."""
    return re.sub(r"[^\n]", " ", text if isinstance(text, str) else text[0])


def remarks(code: str) -> str:
    """The comments of code, all else blank: what a reader reads of it as prose."""
    found = ("".join(re.findall(r"(?<!\S)#[^\n]*", line)) for line in code.split("\n"))
    return "\n".join(words.rjust(len(line)) for words, line in zip(found, code.split("\n"), strict=True))


def has_han(text: str) -> bool:
    return bool(re.search(f"[{HAN}]", text))


def read(path: Path) -> str:
    """The Markdown of a page, whether it is written as a page or as a notebook."""
    text = path.read_text("utf-8")
    return as_markdown(text) if path.suffix == ".py" else text


def as_markdown(source: str) -> str:
    """Code cells turn into `python` fences, Markdown cells lose their `# `; every line keeps its number."""
    lines, code = [], False
    for line in source.split("\n"):
        if line.startswith("# %%"):
            if code:
                if lines[-1].strip():
                    ends = f"line {len(lines)}: a cell must end with an empty line, and ends with {lines[-1]}"
                    raise ValueError(ends)
                lines[-1] = "```"
            code = "[markdown]" not in line
            line = "```python" if code else ""
        elif not code:
            line = line.removeprefix("#").removeprefix(" ")
        lines.append(line)
    return "\n".join([*lines, "```"] if code else lines)
