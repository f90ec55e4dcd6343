"""Explain the terms of docs/terms.toml: a tooltip where a page first uses one, and the glossary page."""

import logging
import re
import sys
from html import escape
from pathlib import Path

from mkdocs.plugins import event_priority

sys.path.insert(0, str(Path(__file__).parents[1]))
from promise import notebook
from promise.terms import ABOUT, load, written

log = logging.getLogger("mkdocs.hooks.terms")
MOST = 6  # tooltips on a page: more would make it restless
NONE = {"glossary.md", "api.md"}  # pages without tooltips
LIST = re.compile(r"^<!--\s*glossary:\s*(?P<group>\w+)\s*-->$", re.M)
PIECE = re.compile(r"<!--.*?-->|<(?P<end>/?)(?P<tag>[a-zA-Z][\w-]*)(?P<attributes>[^>]*)>|(?P<text>[^<]+)", re.S)
APART = {"a", "abbr", "button", "code", "figure", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "svg", "th", "dt"} | {
    "summary",
    "script",
    "style",
    "tex-inline",
    "tex-display",
}
TITLE = re.compile(r"^# (?P<words>.+?)(?:[ \t]*\{[^}\n]*\})?$", re.M)


def on_page_markdown(markdown, page, config, files):
    listed = LIST.sub(lambda match: glossary(match["group"], language(config), page, files), markdown)
    return ABOUT.sub("", listed)


def language(config):
    return Path(config.docs_dir).name


def glossary(group, language, page, files):
    """The terms of a group as a definition list; each has its anchor, and a link to the page that teaches it."""
    entries = [entry(term, language, page, files) for term in load() if term.group == group]
    if not entries:
        log.warning("%s: <!-- glossary: %s --> asks for a group that docs/terms.toml does not have", page.file, group)
    return "\n\n".join(entries)


def entry(term, language, page, files):
    other = {"zh": "en", "en": "zh"}[language]
    words = getattr(term, language)
    names = [f"**{words}**"]
    names += [] if term.zh == term.en else [f'<span lang="{other}">{getattr(term, other)}</span>']
    names += [f"`{term.code}`"] if term.code else []
    path = term.page.partition("#")[0]
    link = ""
    if path == page.file.src_uri or files.get_file_from_path(path) is None:
        log.info("%s: %s is not there yet, so %s has no link", page.file.src_uri, path, words)
    else:
        link = f" → [{title(Path(folder(page), path))}]({term.page})"
    return f"{' · '.join(names)} {{ #{term.id} }}\n:   {term.means[language]}{link}"


def folder(page):
    return page.file.src_dir


def title(path):
    """What a page calls itself."""
    return TITLE.search(notebook.read(path))["words"]


@event_priority(-100)  # when formulas are no longer text
def on_page_content(html, page, config, files):
    if language(config) == "home" or page.file.src_uri in NONE:
        return html
    taught_here = [term for term in load() if term.page.partition("#")[0] == page.file.src_uri]
    return mark(html, load(), language(config), taught_here)


def mark(html, terms, language, taught_here=()):
    """Mark the first occurrence of each term in the prose of a page; not of those that the page itself teaches."""
    forms = sorted(((form, term) for term in terms for form in term.forms(language)), key=lambda pair: -len(pair[0]))
    pattern = re.compile("|".join(f"({cased(form)})" for form, _ in forms))
    done = {term.id for term in [*taught_here, *(term for term in terms if not term.tooltip)]}
    left, inside, pieces = MOST, 0, []

    def explain(match):
        nonlocal left
        term = forms[match.lastindex - 1][1]
        if term.id in done or not left:
            return match[0]
        done.add(term.id)
        left -= 1
        return f'<abbr title="{escape(term.means[language])}" tabindex="0">{match[0]}</abbr>'

    for piece in PIECE.finditer(html):
        if piece["text"] and not inside:
            pieces.append(pattern.sub(explain, piece[0]))
            continue
        pieces.append(piece[0])
        if piece["tag"] in APART and not (piece["attributes"] or "").endswith("/"):
            inside += -1 if piece["end"] else 1
    return "".join(pieces)


def cased(form):
    """A word in small letters may begin a sentence; a name is written as it is."""
    return written(form) if form != form.lower() else f"(?i:{written(form)})"
