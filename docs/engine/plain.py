r"""A formula in a line of text: \frac{QK^\top}{\sqrt{d_k}} is QKᵀ/√d_k."""

import re

SIGNS = {
    r"\sqrt": "√", r"\times": "×", r"\cdot": "·", r"\div": "÷", r"\pm": "±", r"\approx": "≈", r"\le": "≤", r"\ge": "≥",
    r"\ne": "≠", r"\to": "→", r"\sum": "Σ", r"\infty": "∞", r"\dots": "…", r"\theta": "θ", r"\cos": "cos ",
    r"\tanh": "tanh", r"\exp": "exp", r"\ln": "ln ", r"\log": "log ", r"\max": "max",
}  # fmt: skip
MATRIX = re.compile(r"\\begin\{[pb]matrix\}(.*?)\\end\{[pb]matrix\}", re.S)
LAYOUT = re.compile(r"\\(?:left|right)(?![A-Za-z])|\\(?:begin|end)\{aligned\}|(?<!\\)&")
SPACE = re.compile(r"\s*(?<!\\)\\(?:quad\b|[,; ])\s*")
NORM = re.compile(r"\\lVert\s*(.*?)\s*\\rVert")
SIGN = re.compile(r"\\[A-Za-z]+ ?")
INNERMOST = re.compile(
    r"\\text\{(?P<word>[^{}]*)\}|\\frac\{(?P<over>[^{}]*)\}\{(?P<under>[^{}]*)\}|(?P<power>\^?)(?<!frac)(?<!\})\{(?P<group>[^{}]*)\}"
)
JOINED = re.compile(r"\S[ +/=-]\S| [+·×=] ")  # more than one thing


def plain(tex: str) -> str:
    """An ellipsis, if a sign has no place in a line."""
    tex = MATRIX.sub(lambda found: f"[{rows(found[1])}]", tex)
    tex = SPACE.sub(" ", LAYOUT.sub("", tex)).replace(r"^\top", "ᵀ")
    tex = re.sub(r"\s*\\\\\s*", "; ", NORM.sub(r"‖\1‖", tex))
    tex = SIGN.sub(lambda sign: SIGNS.get(sign[0].strip(), sign[0]) + " " * (sign[0][-1] == " "), tex)
    while INNERMOST.search(tex):
        tex = INNERMOST.sub(written, tex)
    return "…" if "\\" in tex else " ".join(tex.replace("^2", "²").split())


def rows(matrix):
    return "; ".join(", ".join(entry.strip() for entry in row.split("&")) for row in matrix.split(r"\\"))


def written(part):
    if part["word"] is not None:
        return part["word"]
    if part["over"] is not None:
        return f"{whole(part['over'])}/{whole(part['under'])}"
    group = part["group"]
    return f"^({group})" if part["power"] and "_" in group else part["power"] + whole(group)


def whole(words):
    """In brackets, unless it is one thing."""
    words = words.strip()
    return f"({words})" if JOINED.search(words) else words
