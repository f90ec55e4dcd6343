"""Every fence of a page runs, or the page fails; so does every piece of attn that it shows."""

import contextlib
import doctest
import io
import re

from sybil import Region
from sybil.evaluators.doctest import DocTestEvaluator
from sybil.evaluators.python import PythonEvaluator
from sybil.parsers.abstract.doctest import DocTestStringParser
from sybil.region import Lexeme

from engine.page import SHOWN
from engine.source import shown

PROMPT = re.compile(r"^[ \t>]*(?:[-*+]|\d+\.)?[ \t]*>>>.*$", re.M)


class Fences:
    """Run every fence: sessions as doctests, listings as Python; refuse what would silently not run."""

    def __init__(self):
        self.session = DocTestStringParser(DocTestEvaluator(0))
        self.python = PythonEvaluator()

    def __call__(self, page):
        for fence in page.fences:
            yield from self.fence(fence, page)
        for comment in page.said("source"):
            yield self.source(comment)
        for match in PROMPT.finditer(page.without("front", "fences", "comments")):
            words = "a prompt outside of a fence never runs: put the session into a pycon fence"
            yield Region(*match.span(), None, saying(words))

    def fence(self, fence, page):
        if fence.unseen:
            words = f'the site does not see this fence ({fence.info}): quote its values, as in title="a.py"'
            yield refuse(fence, words)
        elif not fence.runs:
            return
        elif fence.language == "pycon" and fence.is_session:
            yield from self.examples(fence, page)
        elif fence.language == "python" and not fence.is_session:
            yield Region(fence.start, fence.end, Lexeme(fence.code, 0, 0), self.listing)
        else:
            yield refuse(
                fence,
                f"a {fence.language or 'nameless'} fence never runs here: use pycon for a session (>>>), "
                f"python for a listing, or one of {', '.join(sorted(SHOWN))}",
            )

    def listing(self, example):
        """Run a listing or a cell, and compare what it prints with the comment `<!-- prints: … -->` under it."""
        came = self.printed(example)
        under = prints_under(example.document, example.region.end)
        if came != tidy(under.value if under else ""):
            says = "nothing is written under it" if not under else "<!-- prints: … --> under it says otherwise"
            return f"{example.path}:{example.line}: this is printed, and {says}; write:\n<!-- prints:\n{came}\n-->"
        return None

    def printed(self, example):
        with contextlib.redirect_stdout(io.StringIO()) as output:
            self.python(example)
        return tidy(output.getvalue())

    def source(self, comment):
        try:
            return Region(comment.start, comment.end, Lexeme(shown(comment.value), 0, 0), self.python)
        except LookupError as error:
            return refuse(comment, str(error))

    def examples(self, fence, page):
        """The prompts of a session, each a test of its own; text that no prompt would run is refused."""
        source = rest = fence.code
        for example in self.session(source, page.path):
            rest = rest[: example.start] + " " * (example.end - example.start) + rest[example.end :]
            if doctest.SKIP in example.parsed.options:
                example.evaluator = saying("this example is skipped: take # doctest: +SKIP away")
            example.start, example.end = (
                place(page.text, fence, source, offset) for offset in (example.start, example.end)
            )
            yield example
        if rest.strip():
            yield Region(fence.end, fence.end, None, saying(f"no prompt, so never run: {rest.strip()!r}"))


def prints_under(page, end):
    """The comment with what a listing prints, if it is the next thing behind it."""
    behind = (comment for comment in page.said("prints") if comment.start >= end)
    return next((comment for comment in behind if not page.text[end : comment.start].strip()), None)


def tidy(output: str) -> str:
    return "\n".join(line.rstrip() for line in output.strip("\n").split("\n")).strip("\n")


def blocks(page) -> list[str]:
    """What a reader can copy from a page, in its order: the code of each fence that runs and each shown source."""
    found = [
        (fence.start, unprompted(fence.code) if fence.is_session else fence.code) for fence in page.fences if fence.runs
    ]
    found += [(comment.start, shown(comment.value)) for comment in page.said("source")]
    return [code for _, code in sorted(found)]


def unprompted(session: str) -> str:
    """A session as the copy button gives it: the lines behind the prompts, outputs left out."""
    return "\n".join(line[4:] for line in session.splitlines() if re.match(r"(>>>|\.\.\.)( |$)", line))


def place(text, fence, source, offset):
    """Where in the page an offset of a fence's source is, the fence being indented or not."""
    line = source.count("\n", 0, offset) + 1
    start = fence.start
    for _ in range(line):
        start = text.index("\n", start) + 1
    indent = re.match(r"[ \t]*", text[text.rfind("\n", 0, fence.start) + 1 :])[0]
    return min(start + len(indent) + offset - (source.rfind("\n", 0, offset) + 1), fence.end)


def refuse(part, words):
    return Region(part.start, part.end, None, saying(words))


def saying(words):
    return lambda example: f"{example.path}:{example.line}: {words}"
