r"""Every formula that is a calculation is computed with the page's own values, and has to come out.

A calculation is a formula with a relation and a number, such as $\sqrt{d_k} = \sqrt{2} \approx 1.414$. When the whole
page has run it is evaluated as it is written (tex.py). `=` is exact; `≈` holds when the left side, rounded, gives the
digits written on the right, and is refused where `=` would be true. A relation without numbers is computed where the
page or attn knows all its names. What nobody can compute contains one of NEVER, or a sign that is no relation of RELATIONS.
"""

import re
from decimal import Decimal

import torch
from sybil import Region

from promise.fences import Fences
from promise.numbers import FORMULA
from promise.tex import CLOSE, OPEN, Free, Reader, Unknown, Wrong, matrix, size, tokens

NEVER = {"O", "E", "Var", r"\sim", r"\in", r"\to", r"\mapsto", r"\propto", r"\partial", r"\mathbb", r"\mathcal"}
NEVER |= {r"\ldots", r"\cdots", r"\dots", r"\vdots", r"\ddots"}
RELATIONS = {"=": "=", r"\approx": "≈", "<": "<", ">": ">", r"\ll": "<", r"\gg": ">"}
RELATIONS |= {r"\le": "≤", r"\leq": "≤", r"\ge": "≥", r"\geq": "≥", r"\ne": "≠", r"\neq": "≠", "≈": "≈", "×": "×"}
BREAKS = {r"\quad", r"\qquad", r"\\", ",", "，", ";", "；", r"\Rightarrow", r"\implies", r"\iff"}
UNREAD = re.compile(r"<!--.*?-->|`[^`\n]+`|\\\$", re.S)
NUMBER = re.compile(r"\d*\.?\d+")
SIZES = {"n": ("Q", -2), "m": ("K", -2), "d_k": ("K", -1), "d_v": ("V", -1), "d_model": ("X", -1)}
