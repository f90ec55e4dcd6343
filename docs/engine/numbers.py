"""Every number of a page is bound to the expression that gives it.

Under a block (what blank lines part; a fence is one block) stands `<!-- numbers: weights[0, 0]; output -->`: the n-th
number of the block equals the n-th value, rounded to the digits written. A tensor stands for all its entries, row by
row. Values are taken when the whole page has run. Every decimal must be bound, and every whole number of a
calculation: a table, a matrix, a figure, or a formula in which it stands next to =, ≈, ×, + or −. Whoever names a
value for each number of a block, whole numbers of the prose included, binds them all.
"""

import re
from dataclasses import dataclass

from sybil import Region

from engine.page import ADDRESS, ATTRIBUTES, CODE, COMMENT, FORMULA, remarks

VALUES = r"^[ \t]*<!--\s*numbers:(?P<values>.*?)-->"
BLOCK = re.compile(VALUES + r"|(?:^(?![ \t]*<!--\s*numbers:)[^\n]*\S[^\n]*\n?)+", re.M | re.S)
UNREAD = re.compile(  # what a reader does not see as a number
    rf"{COMMENT.pattern}|{ADDRESS.pattern}|{ATTRIBUTES.pattern}"
    r"|^[ \t]*\d+\.(?=[ \t])|^\*\*\w+ ?\d+\.\*\*"  # 1. in front of a list's item, **Exercise 1.**
    r"|_\{[^{}]*\}|[_^]\d|\^\{\d+\}"  # x_1 and n^2
    r"|\\[A-Za-z]+\b(?=\d)"  # \approx1.41
    r"|\barXiv:[\w./]+|(?<![A-Za-z0-9_.])\d+(?:\.\d+){2,}",  # papers, and versions such as 2.13.0
    re.S | re.M,
)
NUMBER = re.compile(
    r"(?<![A-Za-z0-9_.])(?:(?<![)\]}\d])[-−])?"
    r"(?:\d*\.\d+(?:[eE]-?\d+)?|\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+)(?![A-Za-z_])"
)
MATRIX = re.compile(r"\\begin\{[pbv]?matrix\}.*?\\end\{[pbv]?matrix\}", re.S)
OPERATOR = r"(?:=|≈|×|\+|-|−|\\approx|\\times|\\cdot|<|>|\\le|\\ge)"
BESIDE = re.compile(rf"{OPERATOR}[\s{{(&]*$"), re.compile(rf"^[\s}})&]*{OPERATOR}")
ROW = re.compile(r"^[ \t]*\|.*\|[ \t]*$", re.M)
FIGURE = re.compile(r"\A[ \t]*(?:`{3,}|~{3,})[ ]*figure\b.*", re.S)


@dataclass(frozen=True)
class Number:
    start: int  # its place on the page
    line: int
    written: str
    required: bool  # a decimal, or a whole number of a calculation

    @property
    def plain(self) -> str:
        """As Python writes it."""
        return self.written.replace("−", "-").replace(",", "")


class Numbers:
    """The parser that makes one test of all the numbers of a page."""

    def __call__(self, page):
        end = len(page.text)
        yield Region(end, end, None, self.check)

    def check(self, example):
        found = faults(example.document, {**example.namespace, "cited": cited})
        return "\n".join(f"{example.path}:{line}: {fault}" for line, fault in found)


def cited(source: str, value: float) -> float:
    """A number that no code here computes, from the reference with the key `source` (test_twins.py looks it up)."""
    return value


def count(page) -> tuple[int, int]:
    """How many numbers of a page are computed, and how many are cited."""
    pending, bound, cites = [], 0, 0
    for _, numbers, values in blocks(page):
        if values is not None:
            bound += len(pending)
            cites += values.count("cited(")
        pending = numbers
    return bound - cites, cites


def faults(page, names):
    """Yield (line, what is wrong) for each block whose numbers are not the values under it."""
    pending = []  # the numbers of the block just read
    for line, numbers, values in blocks(page):
        if values is not None:
            yield from compare(pending, values, names, line)
            pending = []
        else:
            yield from unbound(pending)
            pending = numbers
    yield from unbound(pending)


def blocks(page):
    """Yield (line, numbers, None) for each block of a page, and (line, [], values) for each line of values."""
    for start, text, values in parts(page):
        line = page.line(start)
        yield line, [] if values is not None else list(numbers(text, start, line)), values


def parts(page):
    text, position = page.text, 0
    for fence in [*page.fences, None]:
        for match in BLOCK.finditer(text, position, fence.start if fence else len(text)):
            yield match.start(), match[0], match["values"]
        if fence:
            head, newline, body = text[fence.start : fence.end].partition("\n")
            yield fence.start, head + newline + (remarks(body) if fence.runs else body), None
            position = fence.end


def numbers(block: str, start: int, line: int):
    readable = UNREAD.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), block)
    calculations = list(spans(readable))
    for match in NUMBER.finditer(readable):
        coded = any(code.start() < match.start() < code.end() for code in CODE.finditer(readable))
        required = "." in match[0] or (not coded and any(inside(match, *span, readable) for span in calculations))
        here = line + readable.count("\n", 0, match.start())
        yield Number(start + match.start(), here, match[0], required)


def spans(text):
    """Where whole numbers count: (start, end, whether only those beside an operator)."""
    yield from ((figure.start(), figure.end(), False) for figure in FIGURE.finditer(text))
    yield from ((row.start(), row.end(), False) for row in ROW.finditer(text))
    yield from ((matrix.start(), matrix.end(), False) for matrix in MATRIX.finditer(text))
    yield from ((formula.start(), formula.end(), True) for formula in FORMULA.finditer(text))


def inside(match, start, end, beside, text):
    if not start <= match.start() < end:
        return False
    before, after = BESIDE
    return not beside or bool(before.search(text[start : match.start()]) or after.search(text[match.end() : end]))


def unbound(found):
    for number in found:
        if number.required:
            yield number.line, f"{number.written} is bound to nothing: write <!-- numbers: value; … --> under its block"


def compare(found, values, names, line):
    """Yield what is wrong with the numbers of a block, given the values written under it."""
    for value in spoken(values):
        if not re.search(r"[A-Za-z_]", value):
            yield line, f'{value} is typed by hand: name what computes it, or cited("key", value)'
    try:
        told = list(right(found, values, names))
    except ValueError as error:
        yield line, str(error)
        return
    for number, value, entry, digits in told:
        if digits != number.plain:
            yield number.line, f"{number.written} is written, and {value} is {entry}: write {digits}"


def right(found, values, names):
    """(number, expression, its value, the digits to write) for each bound number of a block."""
    entries = []
    for value in spoken(values):
        try:
            entries += [(value, entry) for entry in flat(eval(value, names))]
        except Exception as error:
            raise ValueError(f"{value}: {type(error).__name__}: {error}") from error
    required = [number for number in found if number.required]
    bound = found if len(entries) == len(found) else required
    if len(entries) != len(bound):
        written, all_written = (", ".join(number.written for number in some) for some in (required, found))
        of_all = f" (or all {len(found)}: {all_written})" if found != required else ""
        raise ValueError(f"{len(entries)} values for {len(required)} numbers: {written}{of_all}")
    for number, (value, entry) in zip(bound, entries, strict=True):
        yield number, value, entry, rounded(entry, number.plain)


def spoken(values):
    return filter(None, map(str.strip, values.split(";")))


def rounded(value, written: str) -> str:
    """The value with as many digits as were written, in their form (0.67, .67, 6.7e-1, 12)."""
    if isinstance(value, str):
        return value
    mantissa, e, exponent = re.fullmatch(r"(.*?)(?:([eE])(.*))?", written).groups()
    digits = len(mantissa.partition(".")[2])
    if e:
        mantissa, _, exponent = f"{value:.{digits}e}".partition("e")
        return f"{mantissa}{e}{int(exponent)}"
    if "." not in written and value != round(value):
        short = f"{value:.6g}"
        return short if "." in short else str(value)  # a whole number is exact
    text = f"{value:.{digits}f}"
    if re.fullmatch(r"-0\.?0*", text):
        text = text[1:]
    return re.sub(r"^(-?)0\.", r"\1.", text) if re.match(r"-?\.", written) else text


def flat(value):
    if hasattr(value, "flatten"):
        return value.flatten().tolist()
    return [entry for item in value for entry in flat(item)] if isinstance(value, list | tuple) else [value]
