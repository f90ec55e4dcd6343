r"""Every formula that is a calculation is computed with the page's own values, and has to come out.

A calculation is a formula with a relation and a number, such as $\sqrt{d_k} = \sqrt{2} \approx 1.414$. When the whole
page has run it is evaluated as it is written (tex.py). `=` is exact; `≈` holds when the left side, rounded, gives the
digits written on the right, and is refused where `=` would be true. An index that nothing binds stands for every row. A
relation without numbers is computed where the page or attn knows all its names. What nobody can compute contains one of
NEVER.
"""

import re

import torch
from sybil import Region

from engine.tex import CLOSE, END, MARKS, MATRIX, MINUS, OPEN, Free, Reader, Unknown, Wrong, size, tokens

NEVER = {"O", "E", "Var", r"\sim", r"\in", r"\to", r"\mapsto", r"\propto", r"\partial", r"\mathbb", r"\mathcal"}
NEVER |= {r"\ldots", r"\cdots", r"\dots", r"\vdots", r"\ddots"}
RELATIONS = {"=": "=", r"\approx": "≈", "≈": "≈", "<": "<", ">": ">", r"\ll": "<", r"\gg": ">", r"\ne": "≠"}
RELATIONS |= {r"\lt": "<", r"\gt": ">", r"\le": "≤", r"\leq": "≤", r"\ge": "≥", r"\geq": "≥", r"\neq": "≠"}
BREAKS = {r"\quad", r"\qquad", r"\\", ",", "，", ";", "；", r"\Rightarrow", r"\implies", r"\iff"}
NUMBER = re.compile(r"(?:\d|\.\d)[\d.{},]*")
LITERAL = {*OPEN, *CLOSE, *MINUS, ",", "&", r"\\"}
SIZES = {"n": ("Q", -2), "m": ("K", -2), "d_k": ("K", -1), "d_v": ("V", -1), "d_model": ("X", -1)}


class Equations:
    """The parser that makes one test of all the formulas of a page."""

    def __call__(self, page):
        end = len(page.text)
        yield Region(end, end, None, self.check)

    def check(self, example):
        found = faults(example.document, example.namespace)
        return "\n".join(f"{example.path}:{line}: {fault}" for line, fault in found)


def faults(page, names):
    """Yield (line, what is wrong) for each formula that does not come out."""
    names = {**sizes(names), **names}
    for formula in page.formulas:
        found, line, tex = tokens(formula.tex), formula.line, " ".join(formula.tex.split())
        if any(token in NEVER and token not in names for token in found):
            continue
        try:
            wrong = filter(None, (judge(chain, names) for chain in chains(found)))
            yield from ((line, f"${tex}$: {fault}") for fault in wrong)
        except Wrong as fault:
            yield line, f"${tex}$: {fault}"


def sizes(names):
    """n, m, d_k, d_v and d_model of a page that has Q, K, V, X and gives them no names of their own."""
    known = {size: (names.get(name), axis) for size, (name, axis) in SIZES.items()}
    return {size: value.shape[axis] for size, (value, axis) in known.items() if getattr(value, "ndim", 0) == 2}


def chains(found):
    """The statements of a formula: side, relation, side, relation, side, each side a list of tokens."""
    statements, levels = [[[]]], [(token, depth) for token, depth in nested(found) if (token, depth) != ("&", 0)]
    for (token, depth), (following, _) in zip(levels, [*levels[1:], ("", 0)], strict=True):
        if not depth and token in RELATIONS:
            statements[-1] += [token, []]
        elif depth or token not in BREAKS:
            statements[-1][-1].append(token)
        elif following not in RELATIONS:
            statements.append([[]])
    return [statement for statement in statements if len(statement) > 1]


def nested(found):
    """Each token, and in how many brackets it stands."""
    depth = 0
    for token in found:
        depth -= token in CLOSE or token.startswith(r"\end")
        yield token, depth
        depth += token in OPEN or token.startswith(r"\begin")
    if depth:
        raise Wrong("a bracket is missing")


def is_calculation(chain) -> bool:
    return any(NUMBER.fullmatch(token) for side in chain[::2] for token in spoken(side))


def spoken(side):
    """The tokens of a side without indices and one-digit exponents, whose numbers count nothing."""
    indices, last = 0, ""  # how many braces deep in an index
    for token in side:
        if indices:
            indices += (token == "{") - (token == "}")
        elif token == "{" and last == "_":
            indices = 1
        elif last not in MARKS:
            yield token
        last = token


def judge(chain, names, bound=()):
    """What is wrong with a statement, or None."""
    try:
        values = [Reader(side, names, bound).value() for side in chain[::2]]
        steps = zip(chain[::2], values, chain[1::2], chain[2::2], values[1:], strict=False)
        return next(filter(None, (compare(*step, names, bound) for step in steps)), None)
    except Free as free:
        each = (judge(chain, names, {**dict(bound), free.letter: i}) for i in range(1, free.length + 1))
        return next(filter(None, each), None)
    except Unknown as unknown:
        return str(unknown) if is_calculation(chain) else None
    except Wrong as wrong:
        return str(wrong)


def compare(left, a, sign, right, b, names, bound):
    """What is wrong with one relation between two sides and their values, or None."""
    relation = RELATIONS[sign]
    if a.ndim and b.ndim and a.shape != b.shape:
        return f"{size(a)} stands left of {sign}, {size(b)} right of it"
    scale = max(a.abs().max(), b.abs().max())
    slack = rounding(right, b, names, bound)
    if is_literal(left):
        slack = torch.maximum(slack, rounding(left, a, names, bound))
    if relation == "≈" and near(a, b, 1e-12 * scale):
        return f"both sides of {sign} are exactly {shown(a)}: write ="
    if relation == "≈" and not is_calculation([left, sign, right]):
        return None  # nothing says how near
    holds = {
        "=": near(a, b, 1e-6 * scale),
        "≈": near(a, b, slack + 1e-9 * scale),
        "≠": not near(a, b, slack + 1e-6 * scale),
        "<": bool((a < b).all()),
        ">": bool((a > b).all()),
        "≤": bool((a <= b).all()),
        "≥": bool((a >= b).all()),
    }[relation]
    if not holds:
        return f"{shown(a)} stands left of {sign}, {shown(b)} right of it"


def near(a, b, slack) -> bool:
    return bool(((a == b) | ((a - b).abs() <= slack)).all())


def rounding(side, value, names, bound):
    """How far the value of a side may be off because its numbers are written with so many digits."""
    total = torch.zeros(())
    whole = is_literal(side) and not any("." in token for token in side)  # 13 is rounded, and so are 13 and 17
    for position, token in enumerate(side):
        if NUMBER.fullmatch(token) and (whole or "." in token):
            unit = 0.5 * 10.0 ** -len(token.partition(".")[2])
            moved = [*side[:position], repr(float(token.replace("{,}", "")) + unit), *side[position + 1 :]]
            total = total + (Reader(moved, names, bound).value() - value).abs()
    return total


def is_literal(side) -> bool:
    """Nothing but numbers: 0.67, (0.67, 0.33), a matrix of numbers."""
    return all(NUMBER.fullmatch(token) or token in LITERAL or MATRIX.match(token) or END.match(token) for token in side)


def shown(value) -> str:
    rows = value.tolist()
    if isinstance(rows, float):
        return f"{rows:.6g}"
    return "[" + ", ".join("[" + ", ".join(f"{entry:.4g}" for entry in row) + "]" for row in rows) + "]"
