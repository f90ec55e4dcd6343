"""A page as HTML: the one Python-Markdown extension of the site, and a record of the code and formulas that it showed.

`prepare` puts in what comes from elsewhere, while the page is text: source of attn, printed outputs, the glossary, the
reference, the wheel's address. Fences of ours are formatted as superfences meets them. Formulas, tooltips and the
corners of tables are done in the tree.
"""

import importlib
import logging
from dataclasses import dataclass
from functools import cached_property, partial
from html import escape, unescape
from html.parser import HTMLParser
from pathlib import Path
from xml.etree.ElementTree import Element

from markdown import Extension
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor
from pymdownx.superfences import SuperFencesCodeExtension, SuperFencesException

from engine import glossary, katex, reference, source
from engine.cache import kept
from engine.fences import unprompted
from engine.page import Page

log = logging.getLogger("mkdocs.hooks.extension")
MARKS = "，。；：、？！）」"  # no line begins with the punctuation behind a formula
colored = {}  # code as HTML, by all that its formatting depends on
LONG = 30  # characters of TeX: a longer formula has to break somewhere itself


@dataclass
class Where:
    """The page that is rendered; each page has its own."""

    path: Path  # of its source
    file: str  # below the folder of its language
    language: str
    wheel: str = ""  # the address of attn's wheel

    @cached_property
    def page(self) -> Page:
        return Page.parse(self.path)

    def warn(self, words, *values, line=None):
        log.warning(f"%s{':%d' if line else ''}: {words}", self.file, *filter(None, [line]), *values)


class Site(Extension):
    """`where` is set before each page. `drawn`: whether figures and formulas are drawn, or only recorded."""

    def __init__(self, drawn=True):
        super().__init__()
        self.drawn, self.where, self.characters = drawn, None, set()

    def extendMarkdown(self, md):
        md.registerExtension(self)
        superfences = next(each for each in md.registeredExtensions if isinstance(each, SuperFencesCodeExtension))
        usual = superfences.superfences[0]  # how fences of code are accepted and formatted
        listing = partial(highlighted, usual["formatter"])
        superfences.extend_super_fences("figure", self.figure, accept, None)
        superfences.extend_super_fences("python", listing, usual["validator"], None)
        superfences.extend_super_fences("pycon", partial(session, listing), usual["validator"], None)
        md.preprocessors.register(Prepare(md, self), "site-prepare", 27)  # between white space (30) and fences (25)
        md.treeprocessors.register(Formulas(md, self), "site-formulas", 15)  # when inline patterns (20) are done
        md.treeprocessors.register(Corners(md), "site-corners", 14)
        md.treeprocessors.register(Tooltips(md, self), "site-tooltips", 4)  # after the table of contents (5)
        md.postprocessors.register(Record(md, self), "site-record", 5)  # when raw HTML (30) is back
        self.reset()

    def reset(self):
        self.code, self.formulas = [], []  # what this page showed

    def figure(self, src, options, **kwargs):
        if not self.drawn:
            return "<figure></figure>"
        try:
            return figure(options["module"], src)
        except Exception as error:
            raise SuperFencesException(f"figure {options['module']}: {type(error).__name__}: {error}") from error


def figure(module: str, words: str) -> str:
    """The HTML of a figure, drawn once for the same words and code."""
    draw = importlib.import_module("figures").figure
    return kept("figures", module, words, make=lambda: draw(module, words))


def accept(language, inputs, options, attrs, md):
    """Only `module`, and an id, may stand behind `figure`; anything else leaves the fence as it is, which fails."""
    options.update(inputs)
    return set(inputs) == {"module"}


def highlighted(usual, src, language, options, classes, id_value, **kwargs):
    """As superfences formats code, once for the same code: in the next build of `mkdocs serve` most is the same."""
    key = src, language, tuple(sorted(options.items())), tuple(classes or ()), id_value
    if key not in colored:
        more = {"classes": classes, "id_value": id_value, **kwargs}
        colored[key] = usual(src=src, language=language, options=options, **more)
    return colored[key]


def session(listing, src, **kwargs):
    """A session whose copy button gives its code alone: it takes `data-copy` where there is one."""
    return listing(src=src, **kwargs).replace(">", f' data-copy="{escape(unprompted(src))}">', 1)


class Prepare(Preprocessor):
    """Put what a comment of ours asks for in its place, and take the other ones out."""

    def __init__(self, md, site):
        super().__init__(md)
        self.site = site

    def run(self, lines):
        where, text = self.site.where, "\n".join(lines)
        for comment in reversed(Page.of(text).comments):
            start = text.rfind("\n", 0, comment.start) + 1
            indent = text[start : comment.start]
            made = getattr(self, comment.kind)(comment.value, where)
            if made is None:
                start = start if not indent.strip() else comment.start
                text = text[:start] + text[comment.end :]
            else:
                made = "\n".join(line and indent + line for line in ["", *made.split("\n"), "", ""])
                text = text[:start] + made + text[comment.end :]
        return text.replace("{{ wheel }}", where.wheel).split("\n")

    def numbers(self, value, where):
        return None

    about = numbers

    def prints(self, value, where):
        text = escape(value.strip("\n"), quote=False)
        return self.md.htmlStash.store(f'<div class="output" tabindex="0" role="group"><pre>{text}</pre></div>')

    def source(self, name, where):
        try:
            return source.fence(name)
        except LookupError as error:
            return where.warn("%s", error) or ""

    def glossary(self, group, where):
        listed = glossary.entries(group, where)
        if not listed:
            where.warn("<!-- glossary: %s --> asks for a group that docs/terms.toml does not have", group)
        return listed

    def reference(self, module, where):
        try:
            return f'<div lang="en" markdown="1">\n\n{reference.module(module)}\n\n</div>'
        except ImportError as error:
            return where.warn("<!-- reference: %s --> asks for what attn does not have: %s", module, error) or ""


class Formulas(Treeprocessor):
    """What arithmatex has found, set by KaTeX."""

    def __init__(self, md, site):
        super().__init__(md)
        self.site = site

    def run(self, root):
        for parent in list(root.iter()):
            for place, element in enumerate(list(parent)):
                if element.get("class") == "arithmatex":
                    self.set(parent, place, element)

    def set(self, parent, place, element):
        display = element.tag == "div"
        tex = unescape(element.text)[2:-2].strip()
        self.site.formulas.append(tex)
        if not self.site.drawn:
            return
        try:
            html = katex.render(tex, display)
        except katex.Refused as error:
            where = self.site.where
            same = (each.line for each in where.page.formulas if each.tex.strip() == tex)
            return where.warn("%s", str(error).splitlines()[0], line=next(same, 1))
        self.site.characters.update(katex.characters(html))
        # the search leaves out elements by the name of their tag; a wide formula scrolls, with the keyboard too
        element.tag = "tex-display" if display else "tex-inline"
        element.attrib = {"data-search-exclude": ""} | ({"tabindex": "0", "role": "group"} if display else {})
        element.text = self.md.htmlStash.store(html)
        mark = (element.tail or "")[:1]
        if mark and mark in MARKS and not display and len(tex) < LONG:
            together = Element("span", {"class": "together"})
            together.tail, element.tail = element.tail[1:], mark
            parent[place] = together
            together.append(element)


class Corners(Treeprocessor):
    """The empty corner of a table heads nothing."""

    def run(self, root):
        for cell in root.iter("th"):
            if not len(cell) and not (cell.text or "").strip():
                cell.tag = "td"


class Tooltips(Treeprocessor):
    """The first use of a term on a page explains it."""

    def __init__(self, md, site):
        super().__init__(md)
        self.site = site

    def run(self, root):
        explain = glossary.explainer(self.site.where)
        if explain:
            self.walk(root, lambda words: explain(words, self.md.htmlStash.store))

    def walk(self, element, explain):
        if element.text:
            element.text = explain(element.text)
        for child in element:
            if child.tag not in glossary.APART:
                self.walk(child, explain)
            if child.tail:
                child.tail = explain(child.tail)


class Record(Postprocessor):
    """Note the code of each <pre>, however it came onto the page."""

    def __init__(self, md, site):
        super().__init__(md)
        self.site = site

    def run(self, text):
        if not self.site.drawn:
            reader = Blocks()
            reader.feed(text)
            self.site.code += reader.found
        return text


class Blocks(HTMLParser):
    """The text of each <pre>."""

    def __init__(self):
        super().__init__()
        self.found, self.open = [], 0

    def handle_starttag(self, tag, attributes):
        if tag == "pre":
            self.open += 1
            if self.open == 1:
                self.found.append("")

    def handle_endtag(self, tag):
        self.open -= tag == "pre" and self.open > 0

    def handle_data(self, data):
        if self.open:
            self.found[-1] += data
