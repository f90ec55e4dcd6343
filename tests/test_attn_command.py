"""`python -m attn.check mine.py`, as a reader calls it."""

import inspect
import subprocess
import sys

import pytest

from attn.labs.check import MISTAKES
from attn.labs.command import main
from attn.labs.zoo import ZOO

RIGHT = """
import torch
from torch.nn.functional import softmax

def attention(Q, K, V):
    return softmax(Q @ K.transpose(-2, -1) / K.size(-1) ** 0.5, dim=-1) @ V
"""
WRONG = RIGHT.replace(" / K.size(-1) ** 0.5", "")
TWO = RIGHT.replace("attention", "first") + RIGHT.replace("attention", "second").replace(" / K.size(-1) ** 0.5", "")


@pytest.fixture
def call(tmp_path, capsys, monkeypatch):
    """Write a file, call the command with it: the code it ends with, and all that it says."""

    def run(text, *arguments, name="mine.py", language="en_US.UTF-8"):
        monkeypatch.setenv("LC_ALL", language)
        (tmp_path / name).write_text(text, "utf-8")
        monkeypatch.chdir(tmp_path)
        with pytest.raises(SystemExit) as ended:
            main([argument.replace("{}", name) for argument in arguments or ["{}"]])
        said = capsys.readouterr()
        return ended.value.code, said.out + said.err

    return run


def test_what_is_right(call):
    code, said = call(RIGHT)
    assert code == 0 and "✗" not in said and "found nothing wrong" in said


def test_what_is_wrong(call):
    code, said = call(WRONG)
    assert code == 1 and "the scores are not divided by √d_k" in said


@pytest.mark.parametrize(("arguments", "language"), [(["{}", "--zh"], "en_US.UTF-8"), (["{}"], "zh_CN.UTF-8")])
def test_it_speaks_chinese(call, arguments, language):
    code, said = call(WRONG, *arguments, language=language)
    assert code == 1 and "分数没有除以 √d_k" in said


def test_it_speaks_english_where_asked(call):
    assert "the scores are not divided" in call(WRONG, "--en", "{}", language="zh_CN.UTF-8")[1]


@pytest.mark.parametrize("bug", ZOO, ids=lambda bug: bug.__name__)
def test_every_bug_of_the_zoo_is_named(call, bug):
    code, said = call(f"import torch\nfrom torch import Tensor\n\n\n{inspect.getsource(bug)}")
    assert code == 1 and MISTAKES[bug.__name__][0].partition(":")[0] in said


def test_what_is_imported_is_examined_where_it_is_named(call):
    code, said = call("from attn.labs.zoo import no_scaling\n", "{}:no_scaling")
    assert code == 1 and "not divided" in said


def test_one_of_several(call):
    code, said = call(TWO)
    assert code == 2 and "first, second" in said and "mine.py:first" in said
    assert call(TWO, "{}:first")[0] == 0
    assert call(TWO, "{}:second")[0] == 1


def test_a_module(call):
    text = RIGHT.replace("def attention(Q, K, V):", "class Mine(torch.nn.Module):\n    def forward(self, Q, K, V):")
    text = text.replace("    return", "        return") + "\nattention = Mine()\n"
    assert call(text)[0] == 0


@pytest.mark.parametrize(
    ("text", "arguments", "told"),
    [
        (RIGHT, [], "usage"),
        (RIGHT, ["{}", "{}"], "usage"),
        (RIGHT, ["--help"], "usage"),
        (RIGHT, ["nowhere.py"], "there is no file nowhere.py"),
        (RIGHT, ["{}:nothing"], "has no function nothing: it has attention"),
        ("x = 1\n", ["{}"], "must hold a function of at least three arguments, Q, K and V: it has none"),
        ("def f(Q, K):\n    return Q\n", ["{}"], "three arguments, Q, K and V: it has f"),
        ("1 / 0\n", ["{}"], "stopped while it was read: ZeroDivisionError: division by zero"),
        ("def f(:\n", ["{}"], "stopped while it was read: SyntaxError"),
        ("raise SystemExit(0)\n", ["{}"], "stopped while it was read: SystemExit"),
    ],
)
def test_what_cannot_be_examined(call, text, arguments, told):
    code, said = call(text, *(arguments or ["--en", "--zh"][:1]))
    assert code == 2 and told in said, said
    assert "Traceback" not in said


def test_not_python(call):
    code, said = call(RIGHT, name="mine.txt")
    assert code == 2 and "must be a Python file" in said


def test_from_the_command_line(tmp_path):
    (tmp_path / "mine.py").write_text(WRONG, "utf-8")
    command = [sys.executable, "-m", "attn.check", "mine.py", "--en"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 1 and "not divided" in done.stdout, done
