"""Find what a reader types: our own index, and the worker (theme/assets/search.js) that searches it for Material.

Material leaves every page out of its index, which stays a few bytes; ours is fetched when somebody searches. A term of
docs/terms.toml is entered at the place that teaches it, as at the back of a book, by all its names; a notebook, by
what opens it. Of pages that are found alike, the first in the menu comes first.
"""

import json
import logging
import re
from functools import cache
from html import escape, unescape
from html.parser import HTMLParser
from pathlib import Path

from mkdocs.structure.files import File

from engine.notebooks import is_notebook
from engine.plain import plain
from engine.terms import load

log = logging.getLogger("mkdocs.hooks.search")
WORKER = re.compile(r"assets/javascripts/workers/search\.\w+\.min\.js")
OURS = Path(__file__).parents[1] / "theme" / "assets" / "search.js"
DRAWN = re.compile(r"<(svg|tex-inline|tex-display)\b.*?</\1>", re.S)
TEX = re.compile(r"<annotation[^>]*>(.*?)</annotation>", re.S)
NOTEBOOK = ["Jupyter", "ipynb", "notebook", "笔记本"]
VOID = {"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
HEADINGS = {"h2", "h3", "h4", "h5", "h6", "dt"}  # a term of the glossary, too
APART = {"p", "li", "td", "th", "tr", "pre", "div", "dd", "br"}  # words of two such elements are two words
found = {}  # for each language, the entries of each page, in the order of the menu


def replace_worker(files, config):
    """Serve our worker under the name of Material's, or, where it has none, Material's search as it is."""
    theirs = next((file for file in files if WORKER.fullmatch(file.src_uri)), None)
    config.extra["own_search"] = theirs is not None
    if theirs is None:
        log.warning("mkdocs-material has no search worker where the last release had one: its own search serves")
        return
    files.remove(theirs)
    files.append(File.generated(config, theirs.src_uri, content=OURS.read_text("utf-8")))
    found[config.docs_dir] = {}


def leave_to_us(page, config):
    """Keep a page out of Material's index, before Material reads it."""
    if config.extra["own_search"]:
        page.meta["search"] = {"exclude": True}


def index(page, nav, config):
    if config.extra["own_search"]:
        pages = found[config.docs_dir] = found[config.docs_dir] or dict.fromkeys(each.url for each in nav.pages)
        (_, *own), *rest = sections(page.content, page.title)
        pages[page.url] = [("", *own, NOTEBOOK * is_notebook(page)), *((*section, []) for section in rest)]


def write(target: Path, docs_dir: str):
    """All entries, the terms at their places."""
    entries = [
        {"location": url + (f"#{anchor}" if anchor else ""), "title": title, "text": text, "tags": names}
        for url, parts in found.get(docs_dir, {}).items()
        for anchor, title, text, names in parts or ()
    ]
    places = {entry["location"]: entry for entry in entries}
    for term in load():
        entry = places.get(address(term.page)) or places.get(address(term.page.partition("#")[0]))
        if entry:
            words = {term.zh, *term.short, term.en, term.code, *term.elsewhere("zh"), *term.find} - {""}
            entry["tags"] = sorted({*entry["tags"], *words})
    (target / "search").mkdir(exist_ok=True)
    (target / "search" / "entries.json").write_text(
        json.dumps(entries, ensure_ascii=False, separators=(",", ":")), encoding="utf-8", newline="\n"
    )


def address(page):
    """Where in the site a page is: deeper/masks.md#two-masks is deeper/masks/#two-masks."""
    path, mark, anchor = page.partition("#")
    path = re.sub(r"(?:(?<=/)|^)index$", "", path.rpartition(".")[0])
    return (f"{path}/" if path else "") + mark + anchor


@cache  # most pages are the same in the next build of `mkdocs serve`
def sections(html: str, title: str) -> list[tuple[str, str, str]]:
    """(id, heading, text) of each section, the first is the page itself."""
    reader = Sections(title)
    reader.feed(DRAWN.sub(plainly, html))
    return [(anchor, tidy(heading), tidy(text)) for anchor, heading, text in reader.found]


def plainly(match):
    """A formula as it would be typed, so that d_k and QKᵀ are found; nothing of a picture."""
    if match[1] == "svg":
        return ""
    tex = TEX.search(match[0]) or re.search(r">(.*)<", match[0], re.S)  # without KaTeX it stands there as TeX
    return escape(plain(unescape(tex[1])))


def tidy(text):
    return " ".join(text.split())


class Sections(HTMLParser):
    def __init__(self, title):
        super().__init__()
        self.found = [["", title, ""]]
        self.skipped, self.heading = 0, False  # how many elements deep in what is left out; whether in a heading

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if self.skipped:
            self.skipped += tag not in VOID
        elif "data-search-exclude" in given or given.get("class") == "headerlink":
            self.skipped = tag not in VOID
        elif tag == "h1":
            self.heading, self.found[0][1] = True, ""
        elif tag in HEADINGS and given.get("id"):
            self.heading = True
            self.found.append([given["id"], "", ""])
        elif tag in APART:
            self.handle_data(" ")

    def handle_endtag(self, tag):
        if self.skipped:
            self.skipped -= tag not in VOID
        elif tag in {"h1", *HEADINGS}:
            self.heading = False

    def handle_data(self, data):
        if not self.skipped:
            self.found[-1][1 if self.heading else 2] += data
