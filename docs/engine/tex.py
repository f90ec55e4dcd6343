r"""The value of a formula: TeX, evaluated as it is written.

Letters are the names that a page has (Q, d_k, W_q, \alpha); x_1 is row 1 of x unless the page has an x_1, w_{12} is an
entry. A list of numbers is a row; juxtaposition and \cdot multiply matrices, \cdot two vectors, too. Functions are the
page's, attn's (\text{Attention} is attn.attention) or FUNCTIONS.
"""

import math
import re
from functools import reduce

import torch

import attn

LAYOUT = re.compile(  # no meaning for the value
    r"(?<!\\)\\[,;:! ]|~|\\(?:left|right|[bB]igg?[lr]?|displaystyle|limits|nolimits)(?![A-Za-z])"
    r"|\\(?:begin|end)\{(?:aligned|align\*?|split|gathered)\}"
)
TOKEN = re.compile(
    r"\\(?:text|operatorname|mathrm|mathbf|mathit|boldsymbol|bm)\*?\{(?P<word>[^{}]*)\}"
    r"|(?<=[_^])\d|\d{1,3}(?:\{,\}\d{3})+|\d*\.\d+|\d+"
    r"|\\(?:begin|end)\{\w+\}|\\[A-Za-z]+|\\.|:=|\S"
)
MATRIX, END = re.compile(r"\\begin\{[pb]?matrix\}"), re.compile(r"\\end\{[pb]?matrix\}")
MARKS = {"^", "_"}
OPEN, CLOSE = {"(", "[", "{", r"\lVert", "\\{"}, {")", "]", "}", r"\rVert", "\\}"}
TIMES = {r"\cdot", r"\times", "×", "·"}
MINUS = {"-", "−"}
ENDS = {"", "+", "/", "&", ",", "，", "|", r"\|", r"\\"} | MINUS | TIMES | CLOSE  # no factor begins with these
FUNCTIONS = {
    "exp": torch.exp,
    "ln": torch.log,
    "log": torch.log,
    "cos": torch.cos,
    "tanh": torch.tanh,
    "softmax": lambda *row: torch.softmax(beside(row), -1),
    "max": lambda *row: reduce(torch.maximum, row) if len(row) > 1 else row[0].max(),
}
CONSTANTS = {"e": math.e, "pi": math.pi, "infty": math.inf}
INDICES = set("ijklst")  # a letter that stands for every row, unless a sum binds it


class Wrong(Exception):
    """What the author of a formula should read."""


class Unknown(Wrong):
    """A name without a value, or a sign without a meaning."""

    def __init__(self, what):
        super().__init__(
            f"{what} has no value on this page: give it one in a block, or write it with names that have one "
            "(what nobody can compute: NEVER in docs/engine/equations.py)"
        )


class Free(Exception):
    """An index that nothing binds: its letter, and how far it runs."""

    def __init__(self, letter, length):
        self.letter, self.length = letter, length


def tokens(tex: str) -> list[str]:
    r"""\text{softmax}(x_1) is softmax ( x _ 1 ); words that begin with a space, as \text{ bytes}, only explain."""
    found = TOKEN.finditer(LAYOUT.sub(" ", tex).rstrip(" \n.,;。，；"))
    words = [match[0] if match["word"] is None else match["word"] for match in found]
    return [word for word in words if word[:1].strip()]


def matrix(value) -> torch.Tensor:
    """Every value is a number or has rows and columns: a list of numbers is a row."""
    tensor = torch.as_tensor(value, dtype=torch.float64).detach()
    if tensor.numel() == 1:
        return tensor.reshape(())
    return tensor[None] if tensor.ndim == 1 else tensor


def beside(parts) -> torch.Tensor:
    """A row of numbers, or of matrices."""
    return matrix(torch.cat([torch.atleast_2d(part) for part in parts], -1))


def size(value) -> str:
    return "a number" if value.ndim == 0 else "×".join(map(str, value.shape))


class Reader:
    """Reads tokens from left to right and computes while it reads; `bound` holds the values of indices."""

    def __init__(self, tokens, names, bound=()):
        self.tokens, self.names, self.bound, self.position = tokens, names, dict(bound), 0

    def value(self):
        value = self.sum()
        if self.peek():
            raise Unknown(self.peek())
        return value

    def part(self, tokens):
        return Reader(tokens, self.names, self.bound).value()

    def peek(self):
        return self.tokens[self.position] if self.position < len(self.tokens) else ""

    def take(self, *wanted):
        token = self.peek()
        if wanted and token not in wanted:
            raise Wrong(f"{token or 'the end'} stands where {' or '.join(sorted(wanted))} should")
        self.position += 1
        return token

    def found(self, *wanted):
        return self.peek() in wanted and bool(self.take())

    def sum(self):
        total = self.product()
        while self.peek() in {"+"} | MINUS:
            sign = 1 if self.take() == "+" else -1
            total = added(total, sign * self.product())
        return total

    def product(self):
        value = self.factor()
        while True:
            if self.peek() in TIMES:
                value = multiplied(value, self.take(), self.factor())
            elif self.found("/", r"\div"):
                value = divided(value, self.factor())
            elif self.peek() not in ENDS and not END.match(self.peek()):
                value = multiplied(value, "", self.factor())
            else:
                return value

    def factor(self):
        if self.found(*MINUS):
            return -self.factor()
        value = self.atom()
        while self.peek() in {"^", "_", r"\%"}:
            mark = self.take()
            value = value / 100 if mark == r"\%" else self.power(value) if mark == "^" else self.entry(value)
        return value

    def atom(self):
        token = self.take()
        if re.match(r"\.?\d", token):
            return matrix(float(token.replace("{,}", "")))
        if token in OPEN:
            return self.inside(token)
        if token in {"|", r"\|"}:
            value = self.sum()
            self.take(token)
            return value.norm()
        if MATRIX.match(token):
            return self.rows()
        if token == r"\frac":
            return divided(self.group(), self.group())
        if token == r"\sqrt":
            return self.group().sqrt()
        if token == r"\sum":
            return self.series()
        if token.removeprefix("\\")[:1].isalpha():
            return self.name(token.removeprefix("\\"))
        raise Unknown(token) if token else Wrong("something is missing beside a sign")

    def inside(self, opening):
        parts = self.list()
        return beside(parts).norm() if opening == r"\lVert" else beside(parts) if len(parts) > 1 else parts[0]

    def list(self):
        parts = [self.sum()]
        while self.found(",", "，"):
            parts.append(self.sum())
        self.take(*CLOSE)
        return parts

    def group(self):
        """What a command applies to: {…}, or one token."""
        return self.atom() if self.peek() == "{" else self.part([self.take()])

    def rows(self):
        rows = [[self.sum()]]
        while not END.match(self.peek()):
            if self.take("&", r"\\") == "&":
                rows[-1].append(self.sum())
            elif not END.match(self.peek()):
                rows.append([self.sum()])
        self.take()
        lines = [torch.atleast_2d(beside(row)) for row in rows]
        if len({line.shape[-1] for line in lines}) > 1:
            raise Wrong("the rows of a matrix differ in length")
        return matrix(torch.cat(lines))

    def script(self):
        """The tokens of an index or exponent."""
        if not self.found("{"):
            return [self.take()]
        start, depth = self.position, 1
        while depth and self.peek():
            token = self.take()
            depth += (token == "{") - (token == "}")
        return self.tokens[start : self.position - 1]

    def power(self, value):
        script = self.script()
        if script in ([r"\top"], ["T"], [r"\intercal"]):
            return value if value.ndim == 0 else value.transpose(-2, -1)
        exponent = self.part(script)
        return torch.linalg.inv(value) if value.ndim and exponent == -1 else value**exponent

    def entry(self, value):
        """x_1, w_{12}, w_{i,j}: rows and columns count from 1, as in the text."""
        shape = value.shape[1:] if value.ndim == 2 and len(value) == 1 else value.shape
        places = self.places(shape)
        if len(places) > len(shape):
            raise Wrong(f"{len(places)} indices for {size(value)}")
        at = tuple(self.place(*where) for where in zip(places, shape, strict=False))
        return matrix(value.reshape(shape)[at])

    def places(self, shape):
        """The tokens of each index: {i,j}, {ij}, {12} and {i+1}."""
        script = self.script()
        if len(script) == 1 and len(shape) == 2 and re.fullmatch(r"[1-9]{2}", script[0]) and int(script[0]) > shape[0]:
            return [[digit] for digit in script[0]]
        if "," in script:
            return [part.split() for part in " ".join(script).split(",")]
        return [script] if {"+", *MINUS} & set(script) else [[token] for token in script]

    def place(self, tokens, length):
        letter = tokens[0]
        if tokens == [letter] and letter not in self.bound and letter in INDICES:
            raise Free(letter, length)
        index = int(self.part(tokens))
        if not 1 <= index <= length:
            raise Wrong(f"there is no index {index} of {length}")
        return index - 1

    def series(self):
        """A sum of the products that follow, its index running over its bounds, or over all there is."""
        letter, first, last = self.bounds()
        start, outer, total = self.position, self.bound, None
        if last is None:
            last = self.length(letter)
        for index in range(first, last + 1):
            self.position, self.bound = start, {**outer, letter: index}
            term = self.product()
            total = term if total is None else added(total, term)
        self.bound = outer
        return total

    def bounds(self):
        letter, first, last = "", 1, None
        while self.peek() in MARKS:
            if self.take() == "^":
                last = int(self.part(self.script()))
            else:
                letter, *rest = self.script()
                first = int(self.part(rest[1:])) if rest else 1
        return letter, first, last

    def length(self, letter):
        """How far the index of a sum without bounds runs: as far as what it stands at."""
        start = self.position
        try:
            self.product()
        except Free as free:
            if free.letter != letter:
                raise
            self.position = start
            return free.length
        raise Wrong(f"nothing under the sum has the index {letter}")

    def name(self, name):
        if name in self.bound:
            return matrix(self.bound[name])
        value = self.indexed(name)
        if value is None:
            value = self.known(name)
        if callable(value):
            return self.called(name, value)
        try:
            value = torch.as_tensor(value, dtype=torch.float64).detach()
        except (TypeError, ValueError, RuntimeError):
            raise Unknown(name) from None
        return self.entry(value) if self.found("_") else matrix(value)

    def indexed(self, name):
        """The value of d_k, W_q, W^Q: names of the page that contain their index."""
        start = self.position
        mark = self.take() if self.peek() in MARKS else ""
        if mark:
            script = "".join(self.script())
            if mark == "_" or re.fullmatch("[A-SU-Z]", script):
                for long in (f"{name}_{script}", f"{name}_{script.lower()}"):
                    if long in self.names:
                        return self.names[long]
        self.position = start

    def known(self, name):
        shelves = [FUNCTIONS, self.names, vars(attn), CONSTANTS]
        names = [name, name.lower()] if len(name) > 1 else [name]
        if self.peek() == "_":
            names.append(name.upper())  # q_1 is row 1 of Q
        for shelf in shelves:
            for candidate in names:
                if candidate in shelf:
                    return shelf[candidate]
        raise Unknown(name + ("(…)" if self.peek() == "(" else self.tail()))

    def tail(self):
        return "_" + "".join(self.script()) if self.found("_") else ""

    def called(self, name, function):
        arguments = self.list() if self.found("(") else [self.factor()]
        try:
            return matrix(function(*arguments))
        except Exception as error:
            raise Wrong(f"{name}: {error}") from error


def added(a, b):
    if a.ndim and b.ndim and a.shape != b.shape and not (a.shape[-1] == b.shape[-1] and 1 in (len(a), len(b))):
        raise Wrong(f"{size(a)} and {size(b)} can't be added")
    return a + b


def multiplied(a, operator, b):
    if not a.ndim or not b.ndim:
        return a * b
    vectors = a.shape == b.shape and 1 in a.shape
    if operator in {r"\cdot", "·"} and vectors:
        return (a * b).sum()
    if a.shape[-1] != b.shape[-2]:
        raise Wrong(f"{size(a)} and {size(b)} can't be multiplied")
    return matrix(a @ b)


def divided(a, b):
    if b.ndim and a.shape != b.shape:
        raise Wrong(f"{size(a)} can't be divided by {size(b)}")
    return a / b
