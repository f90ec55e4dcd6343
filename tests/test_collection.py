"""However pytest is run, a page stays one session: in its own order, in one process."""

import os
import subprocess
import sys

import pages

SHUFFLE = """
import pytest, random

@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    random.Random(1).shuffle(items)
"""


def pytest(*arguments, **environment):
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        cwd=pages.ROOT,
        env=os.environ | {"PYTHONUTF8": "1"} | environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    return done.returncode, done.stdout + done.stderr


def test_shuffled_pages_pass(tmp_path):
    (tmp_path / "shuffle.py").write_text(SHUFFLE, "utf-8")
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    code, told = pytest("-p", "shuffle", "docs/zh/formula.md", "docs/en/formula.md", PYTHONPATH=path)
    assert code == 0, told


def test_write_corrects_and_tells(tmp_path):
    (tmp_path / "page.md").write_text("```pycon\n>>> 1 + 1\n3\n```\n", "utf-8")
    page = str(tmp_path / "page.md")
    code, told = pytest("docs/home/index.md", page, "--write")
    assert code == 1 and "page.md:3: 3 → 2" in told, told
