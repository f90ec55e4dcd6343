"""A formula that is a calculation is computed as it is written, and the slightest change to it is noticed."""

import pytest
import torch

from engine.equations import Equations, chains, faults, is_calculation
from engine.page import Page
from engine.tex import Reader, tokens

Q = torch.tensor([[1.0, 2.0, 0.0], [0.0, 1.0, 1.0]])
K = torch.tensor([[1.0, 0.0, 1.0], [0.0, 2.0, 1.0], [1.0, 1.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 3.0]])
V = torch.arange(10.0).reshape(5, 2)
x = torch.tensor([1.0, 2.0, 4.0])
A = torch.tensor([[0.5, 0.25, 0.25], [0.125, 0.375, 0.5]])
NAMES = {"Q": Q, "K": K, "V": V, "x": x, "A": A, "d_k": 3, "W_q": torch.eye(3), "c": 7}


def told(tex, **names):
    return [
        fault for _, fault in faults(Page.of(f"${tex}$" if "\n" not in tex else f"$${tex}$$", "p.md"), NAMES | names)
    ]


@pytest.mark.parametrize(
    ("tex", "value"),
    [
        (r"1 + 2 \times 3", 7),
        (r"-2 \cdot -3 - 1", 5),
        (r"1{,}024 / 4", 256),
        (r"\frac{1}{4} + 50\%", 0.75),
        (r"2^3 + 2^{-1}", 8.5),
        (r"\sqrt{d_k + 1}", 2),
        (r"e^{0} + \exp(0) + \ln e", 3),
        (r"x_1 + x_{3}", 5),
        (r"A_{12} + A_{2,3}", 0.75),
        (r"q_1 \cdot k_2", 4),
        (r"Q_1 K_2^\top", 4),
        (r"W^Q_{1,1}", 1),
        (r"\sum_{i=1}^{3} x_i", 7),
        (r"\sum_{i=1}^2 i x_i + 1", 6),
        (r"\sum_j x_j", 7),
        (r"\max(1, 3)", 3),
        (r"\max x", 4),
        (r"\lVert (3, 4) \rVert", 5),
        (r"\|(3, 4)\|", 5),
        (r"|{-3}|", 3),
        (r"\left(1 + 2\right) c", 21),
        (r"32\text{ bytes}", 32),
    ],
)
def test_numbers(tex, value):
    assert float(Reader(tokens(tex), NAMES).value()) == pytest.approx(value)


@pytest.mark.parametrize(
    ("tex", "value"),
    [
        (r"QK^\top", Q @ K.T),
        (r"Q K^{T} V", Q @ K.T @ V),
        (r"2 x", 2 * x[None]),
        (r"(1,\ 0.5)", [[1, 0.5]]),
        (r"\begin{pmatrix} 1 & -2 \\ 3 & 4 \end{pmatrix}", [[1, -2], [3, 4]]),
        (r"\begin{bmatrix} x \\ x \end{bmatrix}", [[1, 2, 4], [1, 2, 4]]),
        (r"x^\top x", torch.outer(x, x)),
        (r"\operatorname{softmax}(x)", x.softmax(-1)[None]),
        (r"\text{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)", (Q @ K.T / 3**0.5).softmax(-1)),
    ],
)
def test_matrices(tex, value):
    torch.testing.assert_close(Reader(tokens(tex), NAMES).value(), torch.as_tensor(value).double())


@pytest.mark.parametrize(
    "tex",
    [
        r"\text{Attention}(Q, K, V) = \text{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V",
        r"\text{softmax}(x)_i = \frac{e^{x_i}}{\sum_{j} e^{x_j}}",
        r"\sum_{j} A_{ij} = 1",
        r"d_k = 3 \approx 3.001",
        r"\sqrt{d_k} = \sqrt{3} \approx 1.732",
        r"\frac{e^{0.707}}{e^{0.707} + e^0} \approx \frac{2.03}{2.03 + 1} \approx 0.67",
        r"0.67 \times 10 + 0.33 \times 20 = 13.3",
        r"0.67 \approx \frac{2.03}{3.03}",
        r"x = (1, 2, 4), \quad c = 7",
        r"n \ne m, \quad n < m",
        "\\begin{aligned} c &= 3 + 4 \\\\ &= 7 \\end{aligned}\n",
        r"\text{score}(a, b) = \frac{a b}{c}",  # a and b are nobody's: left alone
        r"O(n^2 d) = 1",
    ],
)
def test_what_comes_out(tex):
    assert told(tex) == []


STEP = (
    r"\frac{QK^\top}{\sqrt{d_k}} \approx "
    r"\begin{pmatrix} 0.58 & 2.31 & 1.73 & 1.15 & 0 \\ 0.58 & 1.73 & 0.58 & 0 & 1.73 \end{pmatrix}"
)
MIX = r"0.5 \times 10 + 0.25 \times 20 - 1 = 9"
SUM = r"\sum_{i=1}^{3} x_i = x_1 + x_2 + x_3 = 7"
CALL = r"\text{Attention}(Q, K, V) = \text{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V"


@pytest.mark.parametrize(
    ("tex", "old", "new"),
    [
        (STEP, "2.31", "2.32"),  # a digit
        (STEP, "0.58 & 2.31", "2.31 & 0.58"),
        (STEP, "2.31", "-2.31"),  # a sign
        (STEP, "QK", "-QK"),
        (STEP, r"K^\top", "K"),  # a transpose
        (STEP, r"QK^\top", r"KQ^\top"),
        (STEP, "QK", "Q+K"),  # an operator
        (STEP, r"\sqrt{d_k}", "{d_k}"),
        (STEP, r"{QK^\top}{\sqrt{d_k}}", r"{\sqrt{d_k}}{QK^\top}"),
        (STEP, r"\frac{QK^\top}{\sqrt{d_k}}", r"QK^\top \sqrt{d_k}"),
        (STEP, r"\approx", "="),  # a relation
        (STEP, r"\approx", r"\ne"),
        (STEP, r"\approx", "<"),
        (MIX, "10", "11"),
        (MIX, "+", "-"),
        (MIX, "- 1", "+ 1"),
        (MIX, r"10", "-10"),
        (MIX, r"5 \times", "5 +"),
        (MIX, "=", r"\approx"),
        (r"0.67 \times 10 + 0.33 \times 20 = 13.3", "=", r"\approx"),
        (CALL, "=", r"\approx"),
        (MIX, "=", ">"),
        (SUM, "x_2", "x_1"),  # an index
        (SUM, "i=1", "i=2"),
        (SUM, "{3} x", "{2} x"),
        (SUM, "x_i", "i"),
        (SUM, r"\sum_{i=1}^{3} ", ""),
        (SUM, "x_3", "x_4"),
        (CALL, r"^\top", ""),
        (CALL, r"\sqrt{d_k}", "{d_k}"),
        (CALL, "Q, K, V", "K, Q, V"),
        (CALL, r"\text{softmax}", ""),
        (CALL, "V", r"V^\top"),
        (r"\text{softmax}(x)_i = \frac{e^{x_i}}{\sum_j e^{x_j}}", "e^{x_i}", "e^{x_1}"),
        (r"\text{softmax}(x)_i = \frac{e^{x_i}}{\sum_j e^{x_j}}", "e^{x_i}", "x_i"),
    ],
)
def test_the_slightest_change_is_noticed(tex, old, new):
    assert old in tex and told(tex) == []
    assert told(tex.replace(old, new, 1))


@pytest.mark.parametrize(
    ("tex", "words"),
    [
        ("y = 3", "y has no value on this page"),
        (r"\text{蓝} = 3", "蓝 has no value"),
        (r"\text{score}(x) = 3", "score(…) has no value"),
        (r"z_2 + 1 = 3", "z_2 has no value"),
        (r"QK = 1", "2×3 and 5×3 can't be multiplied"),
        (r"QK^\top = x", "2×5 stands left of =, 1×3 right of it"),
        (r"c = 8", "7 stands left of =, 8 right of it"),
        (r"x_5 = 1", "there is no index 5 of 3"),
        (r"3 + = 3", "something is missing"),
        (r"(1 + 2 = 3", "a bracket is missing"),
        (r"c \approx 7", "write ="),
        (r"\begin{pmatrix} 1 & 2 \\ 3 \end{pmatrix} = 1", "rows of a matrix differ"),
    ],
)
def test_a_fault_says_what_is_wrong(tex, words):
    (fault,) = told(tex)
    assert words in fault and fault.startswith(f"${tex}$: ")


def test_sizes_have_their_names():
    names = {"Q": Q, "K": K, "V": V}
    document = Page.of(r"$n = 2, m = 5, d_k = 3, d_v = 2$", "p.md")
    assert list(faults(document, names)) == []
    assert len(list(faults(document, names | {"n": 3}))) == 1


def test_where_formulas_are():
    text = "`$1=2$` and $a$ <!-- $1=2$ -->\n\n```python\nx = '$1=2$'\n```\n\n$$\nb = 2\n$$\n"
    assert [(each.line, each.tex.strip()) for each in Page.of(text).formulas] == [(1, "a"), (7, "b = 2")]


@pytest.mark.parametrize(
    ("tex", "expected"),
    [("a = 1", True), (r"\sum_{i=1}^n x_i = y", False), ("x_1 = y^2", False), ("0.5", False), ("e^{0.7} < y", True)],
)
def test_a_calculation_has_a_relation_and_a_number(tex, expected):
    assert any(map(is_calculation, chains(tokens(tex)))) == expected


def test_a_page_with_a_wrong_formula_fails_where_it_stands():
    document = Page.of("```python\nc = 7\n```\n\nThen\n$c = 8$.\n", "p.md", [Equations()])
    (example,) = document.examples()
    example.namespace["c"] = 7
    with pytest.raises(Exception, match=r"p.md:6: \$c = 8\$: 7 stands left"):
        example.evaluate()
