"""The README tells the truth: its tree is the tree, its commands are the commands, its picture is today's."""

import re
from fnmatch import fnmatch

import pages

from figures import readme

TEXT = (pages.ROOT / "README.md").read_text("utf-8")
COMMANDS = [
    'python3 -m venv .venv && . .venv/bin/activate && pip install -e ".[docs]" && mkdocs serve',
    'python3 -m venv .venv && . .venv/bin/activate && pip install -e ".[test]" && pytest',
]
IGNORED = [".git", *(line.rstrip("/") for line in (pages.ROOT / ".gitignore").read_text("utf-8").split())]


def tree():
    """The names in the README's tree, as paths; a line of two names stands for both."""
    folder, found = "", []
    block = re.search(r"^```text\n(.*?)^```$", TEXT, re.M | re.S)[1]
    for line in block.splitlines():
        names = re.match(r"[ ]*([\w./-]+(?: [\w./-]+)*)", line)
        if not line.startswith(" "):
            folder = names[1] if line.strip() == names[1] and names[1].endswith("/") else ""
        found += [(folder if line.startswith(" ") else "") + name for name in names[1].split()]
    return found


def real(folder):
    """What lies in a folder, dot files aside."""
    names = (path.name + "/" * path.is_dir() for path in folder.iterdir())
    return {name for name in names if not any(fnmatch(name.rstrip("/"), pattern) for pattern in [*IGNORED, ".*"])}


def test_the_tree_is_the_tree():
    listed = tree()
    missing = [name for name in listed if not (pages.ROOT / name).exists()]
    assert not missing, f"README.md: the tree names what is not there: {missing}"
    expected = real(pages.ROOT) | {f"docs/{name}" for name in real(pages.DOCS)}
    left_out = sorted(expected - set(listed))
    assert not left_out, f"README.md: the tree leaves out {left_out}"


def test_the_commands_are_the_commands():
    lines = [line for line in TEXT.splitlines() if line.startswith("python3") and "--index-url" not in line]
    assert lines == COMMANDS
    windows = [line for line in TEXT.splitlines() if line.startswith("py ")]
    spelt = [line.replace("python3", "py").replace(". .venv/bin/", ".venv\\Scripts\\") for line in COMMANDS]
    assert windows == spelt, "README.md: each command stands beside its Windows spelling"


def test_the_cpu_build_is_the_one_we_need():
    pin = re.search(r'^docs = \[\n\s+"(torch[^"]+)"', (pages.ROOT / "pyproject.toml").read_text("utf-8"), re.M)[1]
    assert f'pip install "{pin}" --index-url https://download.pytorch.org/whl/cpu' in TEXT


def test_the_picture_is_current():
    assert readme.PICTURE.name in TEXT
    drawn = readme.PICTURE.read_text("utf-8")
    assert drawn == readme.draw(), "the README's picture is out of date: cd docs && python -m figures.readme"


def test_the_readme_is_short():
    assert len(TEXT.splitlines()) <= 75, "README.md: a screen and a half at most"
