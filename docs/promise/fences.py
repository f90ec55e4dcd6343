"""Every fence of a page runs, or the page fails; so does every piece of attn that it shows."""

import contextlib
import doctest
import io
import re

from pymdownx.superfences import RE_NESTED_FENCE_START
from sybil import Region
from sybil.evaluators.doctest import DocTestEvaluator
from sybil.evaluators.python import PythonEvaluator
from sybil.parsers.abstract.doctest import DocTestStringParser
from sybil.parsers.markdown.lexers import RawFencedCodeBlockLexer
from sybil.region import Lexeme

from promise.source import SOURCE, shown

PRINTS = re.compile(r"\s*<!--\s*prints:[ \t]*\n(?P<output>.*?)^[ \t]*-->", re.M | re.S)
SHOWN = {"figure", "text", "console", "toml", "yaml"}  # never run; the decimals in them count as prose


class Fences:
    """Run every fence: sessions as doctests, listings as Python; refuse what would silently not run."""

    lexer = RawFencedCodeBlockLexer(re.compile(r"[ \t]*(?P<info>[^\n]*)\n"))
    language = re.compile(r"\{?\s*\.?(?P<name>[\w+-]*)")

    def __init__(self):
        self.session = DocTestStringParser(DocTestEvaluator(0))
        self.python = PythonEvaluator()

    def __call__(self, document):
        for region in self.lexer(document):
            yield from self.fence(region, document)
        for match in SOURCE.finditer(document.text):
            yield self.source(match)

    def fence(self, region, document):
        source = region.lexemes["source"]
        info = region.lexemes["info"]
        name = language(info)
        prompted = source.lstrip().startswith(">>>")
        if RE_NESTED_FENCE_START.match("```" + info)["unrecognized"]:
            yield refuse(region, f'the site does not see this fence ({info}): quote its values, as in title="a.py"')
        elif name in SHOWN:
            return
        elif name == "pycon" and prompted:
            yield from self.examples(region, source, document)
        elif name == "python" and not prompted:
            yield Region(region.start, region.end, source, self.listing)
        else:
            yield refuse(
                region,
                f"a {name or 'nameless'} fence never runs here: use pycon for a session (>>>), "
                f"python for a listing, or one of {', '.join(sorted(SHOWN))}",
            )

    def listing(self, example):
        """Run a listing or a cell, and compare what it prints with the comment `<!-- prints: … -->` under it."""
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            self.python(example)
        under = PRINTS.match(example.document.text, example.region.end)
        came, want = (tidy(text) for text in (printed.getvalue(), under["output"] if under else ""))
        if came != want:
            says = "nothing is written under it" if not under else "<!-- prints: … --> under it says otherwise"
            return f"{example.path}:{example.line}: this is printed, and {says}; write:\n<!-- prints:\n{came}\n-->"
        return None

    def source(self, match):
        try:
            return Region(match.start(), match.end(), Lexeme(shown(match["name"]), 0, 0), self.python)
        except LookupError as error:
            return Region(match.start(), match.end(), None, saying(str(error)))

    def examples(self, region, source, document):
        """The prompts of a session, each a test of its own; text that no prompt would run is refused."""
        rest = source
        for example in self.session(source, document.path):
            rest = rest[: example.start] + " " * (example.end - example.start) + rest[example.end :]
            if doctest.SKIP in example.parsed.options:
                example.evaluator = saying("this example is skipped: take # doctest: +SKIP away")
            example.start, example.end = (
                at(document.text, region, source, offset) for offset in (example.start, example.end)
            )
            yield example
        if rest.strip():
            yield Region(region.end, region.end, None, saying(f"no prompt, so never run: {rest.strip()!r}"))


def tidy(output: str) -> str:
    return "\n".join(line.rstrip() for line in output.strip("\n").split("\n")).strip("\n")


def language(info: str) -> str:
    return Fences.language.match(info)["name"]


def is_run(info: str) -> bool:
    return language(info) not in SHOWN


def blocks(document) -> list[str]:
    """What a reader can copy from a page, in its order: the code of each fence that runs and each shown source."""
    found = []
    for region in Fences.lexer(document):
        source = region.lexemes["source"]
        if is_run(region.lexemes["info"]):
            found.append((region.start, unprompted(source) if source.lstrip().startswith(">>>") else source))
    found += [(match.start(), shown(match["name"])) for match in SOURCE.finditer(document.text)]
    return [code for _, code in sorted(found)]


def unprompted(session: str) -> str:
    """A session as the copy button gives it: the lines behind the prompts, outputs left out."""
    return "\n".join(line[4:] for line in session.splitlines() if re.match(r"(>>>|\.\.\.)( |$)", line))


def at(text, fence, source, offset):
    """Where in the page an offset of a fence's source is, the fence being indented or not."""
    line = source.count("\n", 0, offset) + 1
    start = fence.start
    for _ in range(line):
        start = text.index("\n", start) + 1
    indent = re.match(r"[ \t]*", text[text.rfind("\n", 0, fence.start) + 1 :])[0]
    return min(start + len(indent) + offset - (source.rfind("\n", 0, offset) + 1), fence.end)


def refuse(region, words):
    return Region(region.start, region.end, None, saying(words))


def saying(words):
    return lambda example: f"{example.path}:{example.line}: {words}"
