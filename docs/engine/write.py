"""`pytest --write PAGE …`: write what the code gives where a page says something else, and tell each change.

What is corrected: outputs of sessions, what listings print, and numbers that are bound. Never the code, and never a
number that nothing binds: for those, pytest says what to do.
"""

import doctest
from dataclasses import dataclass
from pathlib import Path

from sybil.evaluators.doctest import DocTest

from engine import numbers
from engine.fences import Fences, prints_under, tidy
from engine.page import Page, read


@dataclass(frozen=True)
class Edit:
    start: int
    end: int
    new: str

    def told(self, page):
        return f"{brief(page.text[self.start : self.end])} → {brief(self.new)}"


def write(path: Path) -> list[str]:
    """Correct a page; what was changed, a line for each."""
    page = Page.of(read(path), path)
    edits = list(corrections(page))
    if edits:
        path.write_text(edited(path.read_text("utf-8"), page, edits), "utf-8", newline="\n")
    return [f"{path}:{page.line(edit.start)}: {edit.told(page)}" for edit in edits]


def corrections(page):
    """The edits that make outputs and bound numbers of a page what its code gives."""
    writer = Writer()
    for region in writer(page):
        page.add(region)
    for example in page.examples():
        example.evaluate()
    yield from writer.edits
    names = {**page.namespace, "cited": numbers.cited}
    pending = []
    for _, found, values in numbers.blocks(page):
        if values is not None:
            yield from renumbered(pending, values, names)
        pending = found


def renumbered(found, values, names):
    try:
        told = list(numbers.right(found, values, names))
    except ValueError:  # the numbers and the values under them don't match: pytest says so
        return
    for number, _, _, digits in told:
        if digits != number.plain:
            if "," in number.written:
                digits = f"{float(digits):,.{len(digits.partition('.')[2])}f}"
            minus = "−" if number.written.startswith("−") else "-"
            yield Edit(number.start, number.start + len(number.written), digits.replace("-", minus))


class Writer(Fences):
    """Runs the fences of a page as pytest does, and notes what they print instead of failing."""

    def __init__(self):
        super().__init__()
        self.session.evaluator = self.play
        self.edits = []

    def play(self, example):
        """An example of a session."""
        runner, parsed = Got(optionflags=0), example.parsed
        test = DocTest([parsed], example.namespace, example.path, example.path, parsed.lineno, None)
        runner.run(test, clear_globs=False)
        if runner.got is not None:
            self.edits.append(output(example, runner.got))

    def listing(self, example):
        came = self.printed(example)
        under = prints_under(example.document, example.region.end)
        want = tidy(under.value) if under else ""
        if came == want:
            return
        if under:
            written = under.value.strip("\n")
            start = example.document.text.index(written, under.start)
            self.edits.append(Edit(start, start + len(written), came))
        else:
            self.edits.append(Edit(example.region.end, example.region.end, f"\n\n<!-- prints:\n{came}\n-->"))


def output(example, got):
    """The edit that puts an output where it belongs: under the lines of its prompts, as far in as they are."""
    text, parsed = example.document.text, example.parsed
    start = text.rfind("\n", 0, example.start) + 1
    for _ in range(parsed.source.count("\n")):
        start = text.index("\n", start) + 1
    end = start
    for _ in range(parsed.want.count("\n")):
        end = text.index("\n", end) + 1
    indent = " " * (example.start - text.rfind("\n", 0, example.start) - 1)
    lines = got.rstrip("\n").split("\n") if got.strip() else []
    if lines and lines[0].startswith("Traceback"):  # where it came through is this machine's own affair
        last = max(i for i, line in enumerate(lines) if line.startswith("  "))
        lines[1 : last + 1] = ["  ..."]
    return Edit(start, end, "".join(f"{indent}{line or '<BLANKLINE>'}\n" for line in lines))


class Got(doctest.DocTestRunner):
    """Keeps what an example gave where it should have given something else."""

    got = None

    def report_failure(self, out, test, example, got):
        self.got = got

    def report_unexpected_exception(self, out, test, example, error):
        raise error[1]


def edited(source: str, page: Page, edits) -> str:
    """The file with these edits to its Markdown; in a notebook, lines of prose begin with `# `."""
    lines, markdown = source.split("\n"), page.text.split("\n")
    ahead = [
        len(line) - len(shown) if line.endswith(shown) else 0 for line, shown in zip(lines, markdown, strict=False)
    ]
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)

    def place(offset):
        row = page.text.count("\n", 0, offset)
        return starts[row] + ahead[row] + offset - (page.text.rfind("\n", 0, offset) + 1)

    for edit in sorted(edits, key=lambda edit: -edit.start):
        row = page.text.count("\n", 0, edit.start)
        prefix = source[starts[row] : starts[row] + ahead[row]]
        new = edit.new.replace("\n", f"\n{prefix}") if prefix else edit.new
        source = source[: place(edit.start)] + new + source[place(edit.end) :]
    return source


def brief(text):
    line = " ".join(text.split())
    return line if len(line) < 60 else f"{line[:40]} … {line[-12:]}"
