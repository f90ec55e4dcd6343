"""Every change that a page must not survive: to its numbers, formulas, code and outputs, and what is left out."""

import ast
import io
import re
import tokenize
from dataclasses import dataclass

import pages

from engine.equations import chains, is_calculation
from engine.tex import Wrong, tokens

UNSEEN = re.compile(  # what no reader takes for a number
    r"<!--.*?-->|\]\([^)\s]*|https?://[^\s)>]+|\{:?[ ]*#[^}\n]*\}|arXiv:[\w./]+|(?<![\w.])\d+(?:\.\d+){2,}", re.S
)
NUMBER = re.compile(r"(?<![A-Za-z0-9_.])(?:\d*\.\d+|\d+)(?![A-Za-z_\d])")
DECIMAL = re.compile(r"\d*\.\d+")
ROW = re.compile(r"^[ \t]*\|.*\|[ \t]*$", re.M)
FRACTION = re.compile(r"\\frac(\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})(\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})")
ROOT = re.compile(r"\\sqrt(?=\{)")
TRANSPOSE = re.compile(r"\^(?:\\top|T|\{\\top\})(?![A-Za-z])")
SIGN = re.compile(r"[+−-](?![^{}]*\\end\{array)")
INDEX = re.compile(r"_(?:\{([\w,]+)\}|(\w))")
RELATION = re.compile(r"\\approx|\\le(?![a-z])|\\ge(?![a-z])|[=<>]")
OPERATOR = re.compile(r"\\times|\\cdot|/")
OTHER = {"=": r"\ne", r"\approx": "=", "<": ">", ">": "<", r"\le": ">", r"\ge": "<"}
OTHER |= {r"\times": "+", r"\cdot": "+", "/": r"\cdot ", "+": "-", "-": "+", "−": "+"}
SWAP = {"+": "-", "-": "+", "*": "/", "/": "*", "@": "+", "**": "*", "//": "*", "%": "*"}
SWAP |= {"<": ">", ">": "<", "<=": ">", ">=": "<", "==": "!=", "!=": "==", "and": "or", "or": "and"}
SWAP |= {"True": "False", "False": "True"}
PRINTS = re.compile(r"<!--\s*prints:[ \t]*\n(?P<output>.*?)^[ \t]*-->", re.M | re.S)
ANSWER = re.compile(r"^(?P<indent>[ \t]*)\?\?\?.*\n(?:(?P=indent)[ \t]+\S.*\n?|[ \t]*\n)*", re.M)


@dataclass(frozen=True)
class Change:
    page: str
    kind: str
    line: int
    was: str
    becomes: str
    text: str  # of the whole page, changed

    def __str__(self):
        return f"docs/{self.page}:{self.line}: {self.kind}: {self.was} → {self.becomes or 'nothing'}"


def all_of(page: str, text: str):
    """Every change to a page."""
    for kind in (numbers, swaps, equations, code, drops):
        yield from (change for change in kind(page, text) if change.text != text)


def changed(page, kind, text, start, end, becomes, context=0):
    """The change of text[start:end], told with `context` characters on both sides."""
    first = max(text.rfind("\n", 0, start) + 1, start - context)
    last = min((text + "\n").index("\n", end), end + context)
    before, after = (text[first:start], text[end:last]) if context else ("", "")
    was, now = (brief(before + part + after) for part in (text[start:end], becomes))
    return Change(page, kind, pages.line(text, start), was, now, text[:start] + becomes + text[end:])


def brief(text):
    line = " ".join(text.split())
    return line if len(line) <= 70 else f"{line[:50]} … {line[-15:]}"


def seen(text: str) -> str:
    """What a reader sees of a page, all else blank: prose, and in code that runs the comments."""
    for fence in pages.fences(text):
        if fence.runs:
            body = re.sub(
                r"[^\n]*?((?<!\S)#[^\n]*|)$",
                lambda line: line[1].rjust(len(line[0])),
                text[fence.start : fence.end],
                flags=re.M,
            )
            text = text[: fence.start] + body + text[fence.end :]
    return UNSEEN.sub(pages.blank, pages.FRONT.sub(pages.blank, text))


# Numbers


def numbers(page, text):
    """Each decimal by one in its last place, up and down; each whole number by one."""
    visible = seen(text)
    for match in NUMBER.finditer(visible):
        if not script(visible, match.start()):
            kind = "decimal" if "." in match[0] else f"whole number in {place(visible, match.start())}"
            for step in (1, -1) if "." in match[0] else (1,):
                yield changed(page, kind, text, *match.span(), moved(match[0], step), context=12)


def place(text, at):
    """Where a whole number stands."""
    for pattern, name in (pages.CODE, "code"), (pages.FORMULA, "a formula"), (ROW, "a table"):
        found = next((match[0] for match in pattern.finditer(text) if match.start() <= at < match.end()), None)
        if found:
            return "a calculation" if name == "a formula" and is_worked(found) else name
    return "prose"


def script(text, start):
    """Whether a number is an index or an exponent."""
    return re.search(r"[_^]\{?[\w,+-]*$", text[max(0, start - 12) : start]) is not None


def moved(number, step):
    digits = len(number.partition(".")[2])
    value = abs(int(number.replace(".", "")) + step)
    return f"{value / 10**digits:.{digits}f}" if digits else str(value)


def swaps(page, text):
    """Each decimal with the next that differs, and with one far away."""
    found = [match for match in NUMBER.finditer(seen(text)) if "." in match[0]]
    for i, first in enumerate(found):
        for j in {i + 1, i + len(found) // 2 + 1}:
            if j < len(found) and found[j][0] != first[0]:
                (a, b), (c, d) = first.span(), found[j].span()
                new = text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]
                yield Change(page, "two decimals swapped", pages.line(text, a), first[0], found[j][0], new)


# Formulas


def equations(page, text):
    """Each sign, index, transpose, operator, relation, root and fraction of each formula."""
    visible = seen(pages.CODE.sub(pages.blank, pages.without_fences(text)))
    for formula in pages.FORMULA.finditer(visible):
        kind = f"formula {'of a calculation' if is_worked(formula[0]) else 'without numbers'}"
        for start, end, becomes in edits(formula[0]):
            begin = formula.start()
            yield changed(page, kind, text, begin + start, begin + end, becomes, context=30)


def is_worked(formula):
    try:
        return any(map(is_calculation, chains(tokens(formula.strip("$")))))
    except Wrong:
        return False


def edits(tex):
    """(start, end, what stands there instead)."""
    for pattern in (SIGN, RELATION, OPERATOR):
        yield from ((*match.span(), OTHER[match[0]]) for match in pattern.finditer(tex))
    for match in RELATION.finditer(tex):
        if not re.match(r"\s*&?\s*(?:[-−]|0(?![.\d]))", tex[match.end() :]):
            yield match.end(), match.end(), " -"
        if match[0] == "=":
            yield *match.span(), r"\approx "
    yield from ((*match.span(), "") for match in TRANSPOSE.finditer(tex))
    yield from ((*match.span(), "") for match in ROOT.finditer(tex))
    yield from ((*match.span(), rf"\frac{match[2]}{match[1]}") for match in FRACTION.finditer(tex))
    for match in INDEX.finditer(tex):
        group = 1 if match[1] else 2
        other = another(match[group])
        if other:
            yield *match.span(group), other


def another(index):
    """Another index: 2 for 1, ji for ij, i for j, v for k."""
    if len(index) > 1 and index.isalpha():
        return index[::-1] if len(index) == 2 else ""
    letters = {"i": "j", "j": "i", "k": "v", "v": "k", "q": "k"}
    return str(int(index[0]) % 9 + 1) + index[1:] if index[0].isdigit() else letters.get(index, "")


# Code


def code(page, text):
    """Each literal and each operator of the code, and each line of what it prints."""
    lines = text.split("\n")
    for fence in pages.fences(text):
        if not fence.runs:
            continue
        first, last = pages.line(text, fence.start), pages.line(text, fence.end)  # the body lies between them
        margin = len(lines[first - 1]) - len(lines[first - 1].lstrip())
        body = [line[margin:] for line in lines[first : last - 1]]
        prompted = any(line.startswith(">>>") for line in body)
        found = [*typed(body, prompted), *(printed(body) if prompted else [])]
        yield from retyped(page, text, first, margin, found)
    for comment in PRINTS.finditer(text):  # under a listing
        first = pages.line(text, comment.start("output")) - 1
        yield from retyped(page, text, first, 0, printed(comment["output"].split("\n")))


def retyped(page, text, first, margin, found):
    """The changes of lines that begin at line `first`, counted from 0, and are indented by `margin`."""
    lines = text.split("\n")
    for row, column, old, new, kind in found:
        begin = len("\n".join(lines[: first + row])) + 1
        if new is None:
            yield changed(page, kind, text, begin, begin + margin + len(old) + 1, "")
        else:
            begin += margin + column
            yield changed(page, kind, text, begin, begin + len(old), new, context=40)


def typed(body, prompted):
    """(row, column, old, new, kind) of each literal and operator."""
    prompts = [bool(re.match(r"(?:>>>|\.\.\.)(?: |$)", line)) for line in body]
    source = [line[4:] if prompt else "" for line, prompt in zip(body, prompts, strict=True)] if prompted else body
    before = ""
    for token in tokenize.generate_tokens(io.StringIO("\n".join(source)).readline):
        new = SWAP.get(token.string) if token.type in {tokenize.OP, tokenize.NAME} else None
        kind = "literal" if token.string in {"True", "False"} else "operator"
        if token.type == tokenize.NUMBER and re.fullmatch(r"\d+(?:\.\d*)?|\d*\.\d+", token.string):
            kind, digits = "literal", len(token.string.partition(".")[2])
            new = f"{float(token.string) + 1:.{digits}f}" if "." in token.string else str(int(token.string) + 1)
        row, column = token.start[0] - 1, token.start[1]
        sign = token.string == "-" and not re.search(r"[\w)\]]$", before)  # dim=-1: the number itself is changed
        before = token.string
        if new and not sign and parses(source, row, column, token.string, new):
            yield row, column + 4 * prompted, token.string, new, f"{kind} in a block"


def parses(source, row, column, old, new):
    line = source[row]
    source = [*source[:row], line[:column] + new + line[column + len(old) :], *source[row + 1 :]]
    try:
        ast.parse("\n".join(source))
    except SyntaxError:
        return False
    return True


def printed(body):
    """Each line of an output changed in its last digit, or in a letter; and left out."""
    for row, line in enumerate(body):
        if not line.strip() or re.match(r"(?:>>>|\.\.\.)(?: |$)", line):
            continue
        digit = re.search(r"\d(?=\D*$)", line)
        letter = digit or re.search(r"[^\W\d_](?=[\W\d_]*$)", line) or re.search(r"\S", line)
        new = str((int(digit[0]) + 1) % 10) if digit else "x" if letter[0] != "x" else "y"
        yield row, letter.start(), letter[0], new, "line of an output"
        yield row, 0, line, None, "line of an output left out"


# What is left out


def drops(page, text):
    """Each block, figure, display formula and answer left out, with the line of its numbers."""
    for fence in pages.fences(text):
        kind = "figure" if fence.language == "figure" else "block"
        if kind == "figure" or fence.runs:
            yield left_out(page, f"{kind} left out", text, text.rfind("\n", 0, fence.start) + 1, fence.end)
    for match in re.finditer(r"^[ \t]*\$\$.+?\$\$", pages.without_fences(text), re.M | re.S):
        yield left_out(page, "display formula left out", text, *match.span())
    for match in ANSWER.finditer(text):
        yield changed(page, "answer left out", text, *match.span(), "")


def left_out(page, kind, text, start, end):
    values = re.compile(r"\s*<!--\s*numbers:.*?-->", re.S).match(text, end)
    return changed(page, kind, text, start, values.end() if values else end, "")


# Canaries


def canaries(page, text):
    """Changes that change nothing, and have to survive."""
    yield Change(page, "canary: an empty line", text.count("\n"), "", "", text + "\n")
    end = re.compile(r"(?<=[。.!?！？])\n(?=\n)").search(text)
    if end:
        yield changed(page, "canary: a word more", text, *end.span(), " ok\n")
    for fence in filter(lambda fence: fence.runs, pages.fences(text)):
        comment = re.compile(r"(?<=  # )[^\W\d_]+").search(text, fence.start, fence.end)
        if comment:
            yield changed(page, "canary: a word of a comment", text, *comment.span(), "xyz")
        call = re.compile(r"\(\w+, (\w+=\w+), (\w+=\w+)\)").search(text, fence.start, fence.end)
        if call:
            (a, b), (c, d) = call.span(1), call.span(2)
            yield changed(page, "canary: order of keywords", text, a, d, f"{text[c:d]}, {text[a:b]}")
    equal = next((pair for pair in pairs(text) if pair[0][0] == pair[1][0]), None)
    if equal:
        (a, b), (c, d) = (match.span() for match in equal)
        yield changed(page, "canary: two equal decimals swapped", text, a, d, text[c:d] + text[b:c] + text[a:b])


def pairs(text):
    found = [match for match in NUMBER.finditer(seen(text)) if "." in match[0]]
    return ((a, b) for i, a in enumerate(found) for b in found[i + 1 :])
