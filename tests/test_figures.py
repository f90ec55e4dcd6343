"""What every figure keeps: a name for those who don't see it, text as text, the page's colours, the same bytes."""

import re
from xml.etree import ElementTree

import pages
import pytest
import yaml

import figures
from engine.extension import figure
from figures import card, logo, readme

FENCES = [
    (page, pages.line(text, fence.start), re.search(r'module="(.*?)"', fence.info)[1], fence.code)
    for page in [*pages.ALL, "home/index.md"]
    for text in [pages.read(page)]
    for fence in pages.fences(text)
    if fence.language == "figure"
]
SHARED = {"__init__", "drawing"}  # what figures are made of
STANDING_ALONE = {"logo", "readme", "card"}  # files, not fences
each_figure = pytest.mark.parametrize("fence", FENCES, ids=lambda fence: f"{fence[0]}:{fence[1]}")
TAG = "{http://www.w3.org/2000/svg}"


def pictures(html):
    return [ElementTree.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", html, re.S)]


@each_figure
def test_a_figure(fence):
    page, line, module, code = fence
    place, html = f"docs/{page}:{line}", figure(module, code)
    words = yaml.safe_load(code)
    for picture in pictures(html):
        assert picture.get("role") == "img", f"{place}: the figure is not marked as a picture"
        assert picture.find(f"{TAG}title").text == words["title"], f"{place}: the figure's title is not the one given"
        assert picture.find(f"{TAG}desc").text == words["description"], f"{place}: its description is not the one given"
        assert not picture.findall(f".//{TAG}style"), f"{place}: a style in one figure changes all others of the page"
    colours = set(re.findall(r"(?:fill|stroke|color)[:=]\s*[\"']?(#[0-9a-fA-F]{3,6}|rgb\([^)]*\))", html))
    assert not colours, f"{place}: {colours} would not follow light and dark: use the colours of figures/drawing.py"
    assert html == figures.figure(module, code), f"{place}: drawn twice, the figure differs"


@each_figure
def test_words_stay_words(fence):
    """The reader's own font writes them: Chinese needs no font while building, and text is text to a screen reader."""
    page, line, module, code = fence
    html = figure(module, code)
    assert "<text" in html, f"docs/{page}:{line}: no text in the figure: it was drawn as shapes"
    assert not re.search(r"DejaVu|\ufffd|□", html), f"docs/{page}:{line}: the figure names a font or has lost a letter"


def test_every_figure_is_used():
    modules = {path.stem for path in (pages.DOCS / "figures").glob("*.py")} - SHARED - STANDING_ALONE
    used = {module for _, _, module, _ in FENCES}
    assert not modules - used, f"drawn by no page: {sorted(modules - used)}"
    assert not used - modules, f"asked for by a page and not there: {sorted(used - modules)}"


def test_ids_of_different_figures_differ():
    for page in {page for page, *_ in FENCES}:
        drawn = "".join(
            dict.fromkeys(figure(module, code) for where, _, module, code in FENCES if where == page)
        )
        ids = re.findall(r' id="([^"]+)"', drawn)
        assert len(ids) == len(set(ids)), f"docs/{page}: two figures share an id"
        for target in re.findall(r'(?:href="#|url\(#|aria-labelledby=")([^")\s]+)', drawn):
            assert target in ids, f"docs/{page}: a figure points at #{target}, which is not in it"


def test_no_card_without_letters(monkeypatch):
    """Where no font has a language's letters, a link shows no picture rather than empty boxes."""
    sentence = ["我", "喜欢", "吃", "苹果"]
    assert card.draw("Attention", "every line runs", ["i", "like", "eating", "apple"]).startswith(b"\x89PNG")
    monkeypatch.setattr(card, "FACES", ("DejaVu Sans",))
    assert card.draw("注意力机制", "每一行都能运行", sentence) is None


@pytest.mark.parametrize("module", [logo, readme], ids=["logo", "readme"])
def test_files_of_their_own_hold_their_colours(module):
    drawn = module.draw()
    ElementTree.fromstring(drawn)
    assert "prefers-color-scheme:dark" in drawn.replace(" ", "") and drawn == module.draw()
    assert set(re.findall(r"var\((--[\w-]+)\)", drawn)) <= set(re.findall(r"(--[\w-]+):", drawn))
