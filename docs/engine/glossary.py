"""Explain the terms of docs/terms.toml: a tooltip where a page first uses one, and the glossary page."""

import re
from functools import cache
from html import escape

from engine.page import Page, has_han
from engine.terms import TABLE, load, parse, written

MOST = 6  # tooltips on a page: more would make it restless
NONE = {"glossary.md", "api.md"}  # pages without tooltips
APART = {"a", "abbr", "button", "code", "figure", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "svg", "th", "dt"} | {
    "summary",
    "script",
    "style",
    "tex-inline",
    "tex-display",
}
ALSO = {"zh": ("又称", "、", "。"), "en": (" Also called ", ", ", ".")}
TITLE = re.compile(r"^# (?P<words>.+?)(?:[ \t]*\{[^}\n]*\})?$", re.M)


def entries(group, where) -> str:
    """The terms of a group as a definition list; each has its anchor, and a link to the page that teaches it."""
    return "\n\n".join(entry(term, where) for term in load() if term.group == group)


def entry(term, where):
    other = {"zh": "en", "en": "zh"}[where.language]
    names = [f"**{getattr(term, where.language)}**"]
    names += [] if term.zh == term.en else [f'<span lang="{other}">{getattr(term, other)}</span>']
    names += [f"`{term.code}`"] if term.code else []
    file = term.page.partition("#")[0]
    link = "" if file == where.file else f" → [{title(where.path.parents[where.file.count('/')] / file)}]({term.page})"
    means = term.means[where.language] + also(term, where.language)
    return f"{' · '.join(names)} {{ #{term.id} }}\n:   {means}{link}"


def also(term, language):
    """The names that a reader meets elsewhere."""
    names = [name if language == "en" or has_han(name) else english(name) for name in term.elsewhere(language)]
    begin, between, end = ALSO[language]
    return f"{begin}{between.join(names)}{end}" if names else ""


def english(words):
    return f'<span lang="en">{words}</span>'


def title(path):
    """What a page calls itself."""
    return TITLE.search(Page.parse(path).text)["words"] if path.exists() else path.name


def explainer(where):
    """A function that marks terms in running text, each once a page; not those that the page itself teaches."""
    if where.language == "home" or where.file in NONE:
        return None
    pattern, terms = forms(where.language, TABLE.read_text("utf-8"))
    silent = {term.id for term in terms if not term.tooltip or term.page.partition("#")[0] == where.file}
    marked = set()

    def explain(words, store):
        def mark(match):
            term = terms[match.lastindex - 1]
            if term.id in silent or term.id in marked or len(marked) == MOST:
                return match[0]
            marked.add(term.id)
            return store(f'<abbr title="{escape(told(term, where.language))}" tabindex="0">{match[0]}</abbr>')

        return pattern.sub(mark, words) if len(marked) < MOST else words

    return explain


def told(term, language):
    """What a tooltip says: on a Chinese page the English name, which papers and documentation use, comes first."""
    name = f"{term.en}：" if language == "zh" and term.zh != term.en else ""
    return name + term.means[language]


@cache
def forms(language, table):
    """All that terms may be written as, the longest first: a pattern with a group for each, and their terms."""
    found = [(form, term) for term in parse(table) for form in term.forms(language)]
    found.sort(key=lambda pair: -len(pair[0]))
    return re.compile("|".join(f"({cased(form)})" for form, _ in found)), [term for _, term in found]


def cased(form):
    """A word in small letters may begin a sentence; a name is written as it is."""
    return written(form) if form != form.lower() else f"(?i:{written(form)})"
