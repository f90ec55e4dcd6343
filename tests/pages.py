"""The pages as the tests name them: `zh/formula.md`, the same file in each language."""

from pathlib import Path

from engine.page import CODE, FORMULA, FRONT, HAN, Page, blank
from engine.page import read as read_file

__all__ = ["CODE", "FORMULA", "FRONT", "HAN", "blank"]

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
LANGUAGES = [settings.stem for settings in sorted(DOCS.glob("*.yml"))]


def files(language: str) -> list[str]:
    """The pages of a language, as paths below its folder."""
    folder = DOCS / language
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.suffix in {".md", ".py"})


ALL = [f"{language}/{file}" for language in LANGUAGES for file in files(language)]


def read(page: str) -> str:
    """The Markdown of a page; of a notebook, what it becomes, line for line."""
    return read_file(DOCS / page)


def address(page: str) -> str:
    """Where a page is in the site: zh/by-hand.md is zh/by-hand/."""
    path = Path(page).with_suffix("")
    return f"{path.parent if path.name == 'index' else path}/".replace("\\", "/")


def fences(text: str) -> list:
    return Page.of(text).fences


def line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def without_fences(text: str) -> str:
    """The text with its front matter and fences blanked; every line keeps its number."""
    return Page.of(text).without("fences", "front")
