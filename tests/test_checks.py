"""What a page is held to: every fence runs, every number is bound, what is shown is what runs."""

import ast
import inspect
import re

import pages
import pytest

from engine import numbers, source
from engine.checks import faults
from engine.fences import Fences, blocks
from engine.page import SHOWN, Page, as_markdown

PAGE = "docs/zh/page.md"
VISIBLE = re.compile(r"(?<![\d.])\d*\.\d+(?![\d.]*\.\d)")  # a decimal as a reader sees it; 2.13.0 is none
UNSEEN = re.compile(r"<!--.*?-->|\]\([^)\s]*|https?://[^\s)>]+|arXiv:[\d.v]+", re.S)


def listing(code, info="python"):
    return f"```{info}\n{code}\n```\n"


def session(code):
    return listing(code, "pycon")


# Fences


@pytest.mark.parametrize(
    "text",
    [
        session(">>> 1 + 1\n2"),
        session(">>> for i in range(2):\n...     print(i)\n0\n1"),
        listing("x = 1", 'python title="a.py" hl_lines="1"'),
        listing("x = 1", 'python title="缩放（scale）之前"'),
        '??? question "练习"\n\n    ```pycon\n    >>> 1 + 1\n    2\n    ```\n',
        listing("pip install attn", "console"),
        listing("任何话", "text"),
        listing("x = 1") + session(">>> x\n1"),
        listing("print(1)\nprint('二')") + "\n<!-- prints:\n1\n二\n-->\n",
    ],
)
def test_what_runs(text):
    assert faults(text, PAGE) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("一\n\n    x = 1 / 0\n", "the site shows this code, and nothing has read it"),
        ("<pre>x = 1 / 0</pre>\n", "the site shows this code, and nothing has read it"),
        (">>> 1 + 1\n3\n", "a prompt outside of a fence never runs"),
        ("- >>> 1 + 1\n", "a prompt outside of a fence never runs"),
        ("\\(1 + 1 = 3\\)\n", "the site shows this formula, and nothing has read it"),
        ("\\[\n1 + 1 = 3\n\\]\n", "the site shows this formula, and nothing has read it"),
        ("\\begin{equation}\n1 + 1 = 3\n\\end{equation}\n", "the site shows this formula, and nothing has read it"),
        ("一$1 + 1\n= 3$二\n", "2 stands left of =, 3 right of it"),
        (session(">>> 1 + 1\n3"), "Expected"),
        (session(">>> undefined"), "NameError"),
        (listing("1 / 0"), "division"),
        (listing("x = 1", "python title=a.py"), "quote its values"),
        (listing("x = 1", 'python title="a.py" hl_lines=1'), "quote its values"),
        (listing("1 / 0", "{.python}"), "division"),
        (listing("1 / 0", "{ .python .annotate }"), "division"),
        (listing("x = 1", "py"), "a py fence never runs"),
        (listing("x = 1", "Python"), "a Python fence never runs"),
        (listing("x = 1", "python3"), "a python3 fence never runs"),
        (listing("x = 1", "mermaid"), "a mermaid fence never runs"),
        (listing("x = 1", ""), "a nameless fence never runs"),
        (listing(">>> 1 + 1\n2", "python"), "use pycon"),
        (session("x = 1"), "use pycon"),
        (session(">>> 1 + 1  # doctest: +SKIP\n3"), "skipped"),
        (session(">>> 1 + 1\n2\n\nx = 3"), "no prompt"),
        ('??? question "练习"\n\n    ```pycon\n    >>> 1 + 1\n    3\n    ```\n', "Expected"),
        ("- 项\n\n    ```python title=a.py\n    x = 1\n    ```\n", "quote its values"),
        ("~~~py\nx = 1\n~~~\n", "a py fence never runs"),
        ("````py\nx = 1\n````\n", "a py fence never runs"),
    ],
)
def test_what_would_not_run_is_refused(text, told):
    found = faults(text, PAGE)
    assert any(told in fault for fault in found), found or "nothing is said"


@pytest.mark.parametrize("under", ["", "\n<!-- prints:\n2\n-->\n", "\n字\n\n<!-- prints:\n1\n-->\n"])
def test_what_a_listing_prints_stands_under_it(under):
    [fault] = faults(listing("print(1)") + under, PAGE)
    assert "write:\n<!-- prints:\n1\n-->" in fault


def test_a_fault_says_where():
    assert faults("\n\n" + listing("x = 1", "py"), PAGE)[0].splitlines()[-1].startswith(f"{PAGE}:3: ")
    assert faults("一\n\n约0.5。\n", PAGE)[0].splitlines()[-1].startswith(f"{PAGE}:3: ")


@pytest.mark.parametrize("page", pages.ALL)
def test_fences_seen_are_fences_run(page):
    """Counted apart from the parser: a line of backticks opens a fence, the next closes it."""
    text = pages.read(page)
    opened = re.findall(r"^[ \t]*(?:`{3,}|~{3,})[ \t]*(\S[^\n]*)$", text, re.M)
    shown = len(re.findall(r"^[ \t]*<!-- source: ", text, re.M))
    expected = sum(re.match(r"\w*", info)[0] not in SHOWN for info in opened) + shown
    document = Page.of(text, page, [Fences()])
    started = {pages.line(text, example.region.start) for example in document.examples()}
    run_here = [fence for fence in document.fences if fence.runs]
    spans = [(pages.line(text, fence.start), pages.line(text, fence.end)) for fence in run_here]
    idle = [first for first, last in spans if not any(first <= line <= last for line in started)]
    assert not idle, f"docs/{page}: nothing runs in the fences on lines {idle}"
    assert len(spans) + shown == expected == len(blocks(document))


def test_what_is_copied_has_neither_prompts_nor_outputs():
    text = session(">>> for i in [1]:\n...     i\n1\n>>> x = 2") + listing("y = x")
    assert blocks(Page.of(text, PAGE)) == ["for i in [1]:\n    i\nx = 2", "y = x\n"]


# Numbers


def values(text, code="a, b, w = 0.669762, 0.330238, [[1.5, 2.5], [3, 4]]\nn, output = 8, 13.302"):
    return faults(f"{text}\n\n{listing(code)}", PAGE)


@pytest.mark.parametrize(
    "text",
    [
        "约0.67和0.3302。\n\n<!-- numbers: a; b -->",
        "第 1 个词：0.67。\n<!-- numbers: a -->",
        "$0.67 \\times 10$\n<!-- numbers: a; a / a * 10 -->",
        "| 1.5 | 2.5 |\n| --- | --- |\n| 3 | 4 |\n\n<!-- numbers: w -->",
        "$$\n\\begin{pmatrix} 1.5 & 2.5 \\\\ 3 & 4 \\end{pmatrix}\n$$\n<!-- numbers: w -->",
        "负数 −0.67、-.33、6.7e-1、1,234.5。\n<!-- numbers: -a; -b; a; n * 1234.5 / 8 -->",
        '论文的 28.4。\n<!-- numbers: cited("vaswani2017", 28.4) -->',
        "arXiv:1706.03762、torch 2.13.0、[文](a-0.5.md)、<https://a.b/0.5> 不算。",
        "1. 第一步\n2. 第二步",
        "## 第 3 步 { #step-3.5 }",
        '```figure module="heatmap"\nQ: [[1, 0]]\n```\n<!-- numbers: n / 8; n - 8 -->',
    ],
)
def test_numbers_that_are_right(text):
    assert values(text) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("约0.68。\n<!-- numbers: a -->", "0.68 is written, and a is 0.669762: write 0.67"),
        ("0.33 和 0.67。\n<!-- numbers: a; b -->", "0.33 is written"),
        ("约0.67。", "0.67 is bound to nothing: write <!-- numbers:"),
        ("约0.67和0.33。\n<!-- numbers: a -->", "1 values for 2 numbers"),
        ("约0.67。\n\n下一段\n\n<!-- numbers: a -->", "bound to nothing"),
        ("约0.67。\n<!-- numbers: 0.67 -->", "typed by hand"),
        ("约0.67。\n<!-- numbers: missing -->", "NameError"),
        ("约0.6697。\n<!-- numbers: a -->", "write 0.6698"),
        ("标题 { #a }\n\n### 到 0.67 { #x }", "bound to nothing"),
        ('![约0.67](a.svg "图")', "bound to nothing"),
        ('??? question "练习 0.67"', "bound to nothing"),
        ("`0.67` 也看得见", "bound to nothing"),
        ("    列表里的 0.67", "bound to nothing"),
        (listing("x = 1", 'python title="0.67"'), "bound to nothing"),
        (listing("x = 1  # 得 0.67"), "bound to nothing"),
        ("共1,234.5个", "1,234.5 is bound to nothing"),
        ("占6.7e-1", "bound to nothing"),
        (listing("输出是 0.67", "text"), "bound to nothing"),
        ("| 3 | 4 |\n| --- | --- |", "3 is bound to nothing"),
        ("$n = 7$", "7 is bound to nothing"),
        ("$n = 7$\n<!-- numbers: n -->", "7 is written, and n is 8"),
        ("$$\n\\begin{pmatrix} 3 & 4 \\end{pmatrix}\n$$", "3 is bound to nothing"),
        ("$$\n\\begin{pmatrix} 4 & 3 \\end{pmatrix}\n$$\n<!-- numbers: w[1] -->", "4 is written"),
        ('```figure module="heatmap"\nQ: [[1, 0]]\n```', "1 is bound to nothing"),
        ('```figure module="heatmap"\nQ: [[1, 0]]\n```\n<!-- numbers: n - 8; n / 8 -->', "1 is written"),
        ("13\n个词 $13$。\n<!-- numbers: n; output -->", "13 is written, and n is 8"),
    ],
)
def test_numbers_that_are_wrong(text, told):
    found = values(text)
    assert any(told in fault for fault in found), found or "nothing is said"


@pytest.fixture
def names(request, page):
    """The names of a page after it has run, here and now if its own tests have not all run in this process."""
    examples = [each for each in request.session.items if each.path == pages.DOCS / page and hasattr(each, "example")]
    if examples and all(getattr(each, "ran", False) for each in examples):
        document = examples[0].example.document
    else:
        document = Page.of(pages.read(page), page, [Fences()])
        try:
            for example in document.examples():
                example.evaluate()
        except Exception:
            pytest.skip(f"docs/{page} does not run: its own tests say why")
    return {**document.namespace, "cited": numbers.cited}


@pytest.mark.parametrize("page", pages.ALL)
def test_no_decimal_of_a_page_can_be_changed(page, names):
    """Each decimal that a reader sees, found here by a rule of its own, given another last digit."""
    text = pages.read(page)
    for start, end in decimals(text):
        changed = text[: end - 1] + str((int(text[end - 1]) + 1) % 10) + text[end:]
        told = list(numbers.faults(Page.of(changed, page), names))
        assert told, f"docs/{page}:{pages.line(text, start)}: {text[start:end]} may be changed and nothing is said"


def decimals(text):
    """Where the decimals of a page are, those in code that runs and in comments aside."""
    seen = text
    for fence in pages.fences(text):
        if fence.runs:
            seen = seen[: fence.start] + pages.blank(text[fence.start : fence.end]) + seen[fence.end :]
    seen = UNSEEN.sub(pages.blank, pages.FRONT.sub(pages.blank, seen))
    return [match.span() for match in VISIBLE.finditer(seen)]


# Source


def test_an_unknown_name_is_refused():
    told, *_ = faults("\n<!-- source: attention_wieghts -->\n", PAGE)
    assert f"{PAGE}:2: " in told and "attn.attention_wieghts" in told


SOURCES = sorted({each.value for page in pages.ALL for each in Page.of(pages.read(page)).said("source")})


@pytest.mark.parametrize("name", SOURCES)
def test_what_is_shown_is_what_runs(name):
    """The shown code, less its imports, is inspect's source less docstrings; and it runs on its own."""
    thing, code = source.find(name), source.shown(name)
    body = [node for node in ast.parse(code).body if not isinstance(node, ast.Import | ast.ImportFrom)]
    whole = ast.parse(inspect.getsource(thing))
    for node in ast.walk(whole):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            del node.body[0]
    assert [ast.dump(node) for node in body] == [ast.dump(node) for node in whole.body]
    comments = [set(re.findall(r"#.*", text)) for text in (code, inspect.getsource(thing))]
    assert comments[0] == comments[1], "a comment is lost"
    namespace = {}
    exec(code, namespace)
    assert name.rpartition(".")[2] in namespace


# Notebooks


def test_a_notebook_keeps_its_lines():
    text = "# %% [markdown]\n# # 实验 { #lab }\n#\n# 约0.67。\n\n# %%\nx = 1\n# 说明\n\n# %% [markdown]\n# 完"
    read = as_markdown(text)
    assert read == "\n# 实验 { #lab }\n\n约0.67。\n\n```python\nx = 1\n# 说明\n```\n\n完"


def test_a_notebook_is_held_to_the_same():
    told = faults(as_markdown("# %% [markdown]\n# 约0.67。\n\n# %%\n1 / 0\n"), "docs/zh/notebooks/lab.py")
    assert len(told) == 2
