"""The pages as the tests name them: `zh/formula.md`, the same file in each language."""

import re
from pathlib import Path

from sybil import Document

from promise import notebook
from promise.fences import Fences

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
LANGUAGES = [settings.stem for settings in sorted(DOCS.glob("*.yml"))]
HAN = "\u3400-\u9fff"
FRONT = re.compile(r"\A---\n.*?^---$", re.M | re.S)
INLINE_CODE = re.compile(r"(?<!`)(`+)(?!`)[^\n]+?(?<!`)\1(?!`)")
FORMULA = re.compile(r"(?<!\\)\$\$(?P<display>.+?)\$\$|(?<![\\$])\$(?P<inline>[^$\n]+)\$", re.S)


def files(language: str) -> list[str]:
    """The pages of a language, as paths below its folder."""
    folder = DOCS / language
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.suffix in {".md", ".py"})


ALL = [f"{language}/{file}" for language in LANGUAGES for file in files(language)]


def read(page: str) -> str:
    """The Markdown of a page; of a notebook, what it becomes, line for line."""
    return notebook.read(DOCS / page)


def address(page: str) -> str:
    """Where a page is in the site: zh/by-hand.md is zh/by-hand/."""
    path = Path(page).with_suffix("")
    return f"{path.parent if path.name == 'index' else path}/".replace("\\", "/")


def fences(text: str) -> list:
    """(start, end, info, code) of each fence."""
    regions = Fences.lexer(Document(text, "page.md"))
    return [(fence.start, fence.end, fence.lexemes["info"], fence.lexemes["source"]) for fence in regions]


def line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def blank(match) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def without_fences(text: str) -> str:
    """The text with its front matter and fences blanked; every line keeps its number."""
    for start, end, *_ in fences(text):
        text = text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
    return FRONT.sub(blank, text)
