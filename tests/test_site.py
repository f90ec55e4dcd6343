"""The built site, as a reader's browser and a search engine get it."""

import functools
import json
import re
import struct
from collections import Counter
from html import escape
from importlib.metadata import version
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pages
import publish
import pytest
import yaml
from bs4 import BeautifulSoup

from engine.fences import blocks
from engine.numbers import count
from engine.page import Page
from engine.source import shown
from figures import card

LIMIT = 300_000  # bytes of HTML; an untouched notebook has 660 000
LOADING = "script[src], img[src], iframe[src], source[src], video[src], object[data], use[href], link[href]"
NOT_LOADED = {"canonical", "alternate", "prev", "next"}
RAW = re.compile(r"\\[(\[]|\$\$|\\[a-zA-Z]{2,}|```|^\s*(?:!!!|\?\?\?) |\{ ?#|\{\{", re.M)
CSS_ADDRESS = re.compile(r"url\(\s*[\"']?([^\"')]+)|@import\s+[\"']([^\"']+)")
each_page = pytest.mark.parametrize("page", pages.ALL)
each_language = pytest.mark.parametrize("language", pages.LANGUAGES)


@functools.cache
def parse(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text("utf-8"), "html.parser")


def html(site, page: str) -> BeautifulSoup:
    return parse(site / pages.address(page) / "index.html")


def article(site, page: str):
    return html(site, page).select_one("article")


def everything(site) -> list[Path]:
    return sorted(site.rglob("*.html"))


def test_the_strict_build(built):
    if built.returncode:
        pytest.fail(f"mkdocs build --strict fails:\n{publish.complaints(built)}", pytrace=False)


@each_page
def test_each_page_is_there(site, page):
    folder = site / pages.address(page)
    assert (folder / "index.html").is_file(), f"docs/{page} gives no page: is it in nav of docs/{page[:2]}.yml?"
    size = (folder / "index.html").stat().st_size
    assert size < LIMIT, f"docs/{page} becomes {size} bytes of HTML: at most {LIMIT}"


@each_page
def test_each_page_says_what_it_is(site, server, page):
    head, language = html(site, page), page[:2]
    assert head.html["lang"] == language, f"docs/{page} says it is in {head.html['lang']}"
    assert head.title.get_text().strip() and head.select_one('meta[name="description"]')["content"].strip()
    assert len(article(site, page).select("h1")) == 1, f"docs/{page}: a page has one heading of the first level"
    canonical = head.select_one('link[rel="canonical"]')["href"]
    assert canonical == server + pages.address(page), f"docs/{page} gives {canonical} as its address"
    here = server + pages.address(page)
    twins = {link["hreflang"]: urljoin(here, link["href"]) for link in head.select('link[rel="alternate"][hreflang]')}
    expected = {name: server + pages.address(f"{name}/{page[3:]}") for name in pages.LANGUAGES}
    assert twins == expected, f"docs/{page} names other pages as its twins (theme/main.html)"


@each_language
def test_descriptions_are_their_own(site, language):
    own = [page for page in pages.ALL if page.startswith(language)]
    found = {page: html(site, page).select_one('meta[name="description"]')["content"] for page in own}
    general = parse(site / language / "404.html").select_one('meta[name="description"]')["content"]
    seen = Counter([general, *found.values()])
    same = [f"docs/{page}" for page, description in found.items() if seen[description] > 1]
    assert not same, f"begin these pages with ---, `description: what this page answers`, ---: {', '.join(same)}"


@each_page
def test_nothing_stays_raw(site, page):
    body = BeautifulSoup(str(article(site, page)), "html.parser")
    assert not body.select(".katex-error"), f"docs/{page}: KaTeX refuses a formula"
    left = str(body).count("<!--")
    assert not left, f"docs/{page}: {left} comments reach the reader: <!-- numbers: … --> must begin its line"
    for element in body.select("pre, code, annotation, style, script"):
        element.decompose()
    text = body.get_text()
    raw = [text[max(match.start() - 30, 0) : match.end() + 30] for match in RAW.finditer(text)]
    assert not raw, f"docs/{page}: this is shown as it was typed: {raw}"


@each_page
def test_headings_and_ids(site, page):
    ids = Counter(element["id"] for element in html(site, page).select("[id]"))
    twice = [name for name, count in ids.items() if count > 1 or not name.strip()]
    assert not twice, f"docs/{page}: ids must differ and not be empty: {twice}"
    for heading in article(site, page).select("h1, h2, h3, h4"):
        name = heading.get("id", "")
        written = name and not re.fullmatch(r"_\d+", name)
        assert written, f"docs/{page}: write an id behind the heading {heading.get_text()!r}: {{ #an-id }}"


@each_page
def test_figures_are_drawn(site, page):
    fences = [fence for fence in pages.fences(pages.read(page)) if fence.language == "figure"]
    drawn = [figure for figure in article(site, page).select(".drawn") if not figure.find_parent(class_="output")]
    assert len(drawn) == len(fences), f"docs/{page} has {len(fences)} figure fences, and {len(drawn)} figures are drawn"
    for figure in drawn:
        svg = figure.svg
        named = svg["role"] == "img" and svg.title.get_text() and svg.desc.get_text()
        assert named, f"docs/{page}: a figure needs title and description for those who don't see it"
        names = {element["id"] for element in svg.select("[id]")}
        assert set(svg["aria-labelledby"].split()) <= names
        assert svg.select("path, rect"), f"docs/{page}: the figure {svg.title.get_text()!r} draws nothing"


@each_page
def test_shown_source_is_what_runs(site, page):
    code = {block.get_text().strip() for block in article(site, page).select("pre > code")}
    for comment in Page.of(pages.read(page)).said("source"):
        assert shown(comment.value).strip() in code, f"docs/{page} does not show attn.{comment.value} as it stands"


@each_page
def test_the_foot_counts_what_was_run(site, page):
    written = Page.parse(pages.DOCS / page)
    ran, (computed, cited) = len(blocks(written)), count(written)
    foot = html(site, page).select_one(".ran")
    if not ran:
        assert foot is None
        return
    extra = yaml.safe_load((pages.DOCS / f"{page[:2]}.yml").read_text("utf-8"))["extra"]
    torch = ".".join(version("torch").split(".")[:2])
    expected = extra["ran" if computed else "ran_code"].format(blocks=ran, numbers=computed, torch=torch)
    expected += extra["cited"].format(cited=cited) if cited else ""
    assert foot.get_text() == expected, f"docs/{page} has another count at its foot than pytest (engine/hooks.py)"


@pytest.mark.parametrize("page", [page for page in pages.ALL if page.endswith(".py")])
def test_notebooks_are_pages(site, page):
    body = article(site, page)
    assert body.select(".output pre"), f"docs/{page}: no output is shown"
    source = (site / pages.address(page) / "index.html").read_text("utf-8")
    jupyter = re.findall(r"jp-[A-Z]\w+|\"cell_type\"|JupyterLab|application/vnd", source)
    assert not jupyter, f"docs/{page}: Jupyter's own page shines through: {sorted(set(jupyter))[:5]}"


def test_every_link_arrives(site, server):
    """Links, pictures, scripts and styles: the file is there, in this very case, and so is the #fragment."""
    there = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    broken = set()
    for path in everything(site):
        place = path.relative_to(site).as_posix()
        here = server + place.removesuffix("index.html")
        for element in parse(path).select("a[href], link[href], [src], object[data]"):
            link = element.get("href") or element.get("src") or element.get("data") or ""
            address, fragment = urldefrag(urljoin(here, link))
            if urlsplit(address).netloc != urlsplit(server).netloc:
                continue
            target = unquote(urlsplit(address).path).removeprefix(urlsplit(server).path)
            file = f"{target}index.html" if target.endswith("/") or not target else target
            if file not in there:
                broken.add(f"{place}: {link} leads nowhere")
            elif fragment and file.endswith(".html") and not parse(site / file).find(id=unquote(fragment)):
                broken.add(f"{place}: {link}: {file} has no #{unquote(fragment)}")
    if broken:
        pytest.fail("\n".join(sorted(broken)), pytrace=False)


def test_nothing_is_loaded_from_outside(site, server):
    outside = []
    for path in everything(site):
        loading = [element for element in parse(path).select(LOADING) if set(element.get("rel", [""])) - NOT_LOADED]
        loads = [element.get("src") or element.get("href") or element.get("data") for element in loading]
        loads += [address for style in parse(path).select("style") for address in css_addresses(style.get_text())]
        outside += [f"{path.relative_to(site)}: {link}" for link in loads if is_outside(link, server)]
    assert not outside, "\n".join(outside)


def test_styles_load_from_the_site(site, server):
    told = []
    for path in site.rglob("*.css"):
        for link in css_addresses(path.read_text("utf-8")):
            file = (path.parent / link.partition("#")[0].partition("?")[0]).resolve()
            if is_outside(link, server) or not (link.startswith(("data:", "#")) or file.is_file()):
                told.append(f"{path.relative_to(site)}: {link}")
    assert not told, "\n".join(told)


def css_addresses(css):
    return [address or imported for address, imported in CSS_ADDRESS.findall(css)]


def is_outside(link, server):
    return re.match(r"(?:[a-z]+:)?//", link) is not None and not link.startswith(server)


@each_language
def test_the_search_index(site, language):
    entries = json.loads((site / language / "search" / "entries.json").read_text("utf-8"))
    found = {entry["location"].partition("#")[0] for entry in entries}
    own = {pages.address(page).removeprefix(f"{language}/") for page in pages.ALL if page.startswith(language)}
    assert found == own, f"the search in {language} does not know exactly its own pages"
    for entry in entries:
        assert entry["title"], f"{language}/{entry['location']} has no title in the search"
        tex = re.findall(r"\\[a-zA-Z]{2,}\{|katex|annotation", entry["title"] + entry["text"])
        assert not tex, f"{language}/{entry['location']}: the search holds a formula's source: {tex[:3]}"
    theirs = json.loads((site / language / "search" / "search_index.json").read_text("utf-8"))
    assert theirs["docs"] == [], "Material's own index, which every page loads, holds nothing"


def test_the_sitemap(site, server):
    sitemaps = "".join(path.read_text("utf-8") for path in site.rglob("sitemap.xml"))
    expected = {server, *(server + pages.address(page) for page in pages.ALL)}
    assert set(re.findall("<loc>(.*?)</loc>", sitemaps)) == expected, "the sitemaps list each page of both languages"


@each_language
def test_nothing_is_missing_politely(site, language):
    """The page for what is not there: one for each language, and one in both for hosts that know only the root's."""
    own, root = parse(site / language / "404.html"), parse(site / "404.html")
    assert own.html["lang"] == language
    spoken = [[section["lang"] for section in document.select("section[lang]")] for document in (own, root)]
    assert spoken == [[language], ["zh", "en"]], "theme/404.html: in its own language, and at the root in both"
    assert "404" in own.title.get_text() and "404" in root.title.get_text()
    for section in root.select("section"):
        assert len(section.select(f'a[href*="/{section["lang"]}/"]')) > 2, "theme/404.html: ways to what was meant"


@pytest.mark.parametrize("path", ["index.html", "zh/by-hand/index.html", "en/notebooks/apple/index.html"])
def test_a_shared_link_shows_something(site, server, path):
    """A chat that is given the link shows a title, a sentence and a picture; a phone's home screen an icon."""
    page = parse(site / path)
    told = {tag["property"]: tag["content"] for tag in page.select("meta[property^='og:']")}
    assert told["og:title"] and told["og:description"]
    if path.startswith("zh/") and not card.face_with(told["og:site_name"]):
        assert "og:image" not in told  # the build says so
    else:
        assert size(site / told["og:image"].removeprefix(server)) == (1200, 630)
    icon = page.select_one('link[rel="apple-touch-icon"]')["href"]
    assert size((site / path).parent / icon) == (180, 180)


def size(picture):
    """Width and height of a PNG, as its head says."""
    head = picture.read_bytes()[:24]
    assert head.startswith(b"\x89PNG")
    return struct.unpack(">II", head[16:])


def test_the_landing_page(site):
    home = parse(site / "index.html")
    doors = [door["href"] for door in home.select(".doors a")]
    assert doors == ["zh/", "en/"], f"theme/home.html: a door into each language, and here are {doors}"
    assert home.select_one('meta[name="description"]')["content"]
    assert home.title.get_text() and home.svg.title.get_text()


def test_the_wheel_is_served(site, server):
    """Pages tell the reader to install attn from this very site."""
    wheels = list(site.glob("*.whl"))
    assert len(wheels) == 1, "the site serves one wheel of attn"
    line = f"pip install {server}{wheels[0].name}"
    for language in pages.LANGUAGES:
        saying = [page for page in pages.ALL if page.startswith(language) and line in article(site, page).get_text()]
        assert saying, f"no page in {language} says how to get attn: write {escape('pip install {{ wheel }}')}"
