"""`pytest --write` brings a page back to what its code gives, tells each change, and touches nothing else."""

import random
import shutil

import changes
import pages
import pytest

from engine.page import read
from engine.write import write

KINDS = {"decimal", "line of an output", "whole number in a table"}
PAGES = ["zh/by-hand.md", "en/which-apple.md", "zh/notebooks/complete-example.py"]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_brought_back(page, tmp_path):
    source = pages.DOCS / page
    copy = tmp_path / source.name
    right = pages.read(page)
    found = [change for change in changes.all_of(page, right) if change.kind in KINDS and source.suffix == ".md"]
    for change in random.Random(0).sample(found, min(len(found), 12)):
        copy.write_text(change.text, "utf-8")
        told = write(copy)
        assert told and copy.read_text("utf-8") == right, f"{change}\n" + "\n".join(told)
    shutil.copy(source, copy)
    assert write(copy) == [] and copy.read_bytes() == source.read_bytes()


NOTEBOOK = """# %% [markdown]
# # 题 { #one }
#
# 约0.5，共1,234.5。
#
# <!-- numbers: x; big -->

# %%
x, big = 0.67, 1234.56
print(x)
print("二")

# %% [markdown]
# <!-- prints:
# 0.5
# -->
"""


def test_a_notebook_is_corrected_in_its_own_form(tmp_path):
    path = tmp_path / "lab.py"
    path.write_text(NOTEBOOK, "utf-8")
    told = write(path)
    assert len(told) == 3 and all(" → " in line for line in told), told
    expected = NOTEBOOK.replace("约0.5，共1,234.5", "约0.7，共1,234.6").replace("# 0.5\n", "# 0.67\n# 二\n")
    assert path.read_text("utf-8") == expected
    assert "约0.7" in read(path)


SESSION = """- 项

    ```pycon
    >>> print("a\\n\\nb")
    c
    >>> 1 + 1
    >>> x = 2
    3
    ```
"""


def test_outputs_come_and_go(tmp_path):
    path = tmp_path / "page.md"
    path.write_text(SESSION, "utf-8")
    assert len(write(path)) == 3
    assert path.read_text("utf-8") == SESSION.replace("    c\n", "    a\n    <BLANKLINE>\n    b\n").replace(
        "1 + 1\n", "1 + 1\n    2\n"
    ).replace("    3\n", "")


def test_what_fails_is_not_written_over(tmp_path):
    path = tmp_path / "page.md"
    path.write_text("```pycon\n>>> 1 / 0\n2\n```\n", "utf-8")
    with pytest.raises(Exception, match="division by zero"):
        write(path)
    assert "2" in path.read_text("utf-8")


def test_an_error_is_written_without_its_way(tmp_path):
    path, told = tmp_path / "page.md", "Traceback (most recent call last):\n  ...\nValueError: {}\n"
    path.write_text(f"```pycon\n>>> int('x')\n{told.format('no')}```\n", "utf-8")
    assert len(write(path)) == 1
    message = "invalid literal for int() with base 10: 'x'"
    assert path.read_text("utf-8") == f"```pycon\n>>> int('x')\n{told.format(message)}```\n"


def test_a_number_is_written_as_short_as_it_may_be(tmp_path):
    path, session = tmp_path / "page.md", "```pycon\n>>> import torch\n>>> x = torch.tensor(0.32)\n```\n"
    path.write_text(f"{session}\n约0.1和$0$。\n\n<!-- numbers: x; x -->\n", "utf-8")
    write(path)
    assert "约0.3和$0.32$。" in path.read_text("utf-8")
