"""What is kept from one build to the next, and the one place that says when it may be used again.

A thing is kept under the hash of all it is made from: the ingredients that its maker hands in (the words of a figure,
the text of a notebook), the code that makes it (MADE_BY), and the versions of Python and of the packages that compute
and draw. Change any of them and it is made anew. So nothing kept can be stale, and all of it may be deleted.
"""

import hashlib
import platform
import shutil
import sys
import tempfile
import time
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parents[2]
MADE_BY = {
    "figures": ["attn", "docs/figures"],
    "notebooks": ["attn", "docs/engine/notebooks.py"],
    "fonts": ["docs/engine/katex.py"],
}
PACKAGES = ["torch", "matplotlib", "mkdocs-jupyter", "ipykernel", "fonttools"]
UNUSED = 30 * 86400  # seconds after which what nobody asked for goes
remembered = []  # functions whose results hold until the code changes
written = set()  # the files of code and when they were written, as of the last build


def kept(kind: str, *ingredients: str, make) -> str:
    """The text that `make()` gave for the same ingredients before, or gives now."""
    path = folder(kind) / key(kind, *ingredients)
    with suppress(OSError):
        text = path.read_text("utf-8")
        path.touch()
        return text
    text = make()
    write(path, text.encode())
    return text


def key(kind: str, *ingredients: str) -> str:
    parts = [kind, *ingredients, code(*MADE_BY[kind]), *versions()]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


def until_code_changes(function):
    """Remember a function's results until `forget()`."""
    function = cache(function)
    remembered.append(function)
    return function


def refresh():
    """Before a build: if code has changed since the last one, read it again."""
    global written
    places = sorted({place for made_by in MADE_BY.values() for place in made_by})
    before, written = written, {(path, path.stat().st_mtime_ns) for place in places for path in python(place)}
    if before and before != written:
        forget()


def forget():
    for function in remembered:
        function.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] in {"attn", "figures"}]:
        del sys.modules[name]


@until_code_changes
def code(*places: str) -> str:
    """A hash of Python files: of a folder, all that lie in it."""
    found = hashlib.sha256()
    for path in (path for place in places for path in python(place)):
        found.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()


def python(place: str) -> list[Path]:
    path = ROOT / place
    return [path] if path.suffix == ".py" else sorted(path.rglob("*.py"))


@cache
def versions() -> list[str]:
    return [platform.python_version(), platform.machine(), *(version(package) for package in PACKAGES)]


@cache
def folder(kind: str) -> Path:
    """Where things of a kind are kept: in .cache, or where that can't be written, until this process ends."""
    place = ROOT / ".cache" / kind
    try:
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=place):
            pass
    except OSError:
        place = Path(temporary().name, kind)
        place.mkdir(parents=True, exist_ok=True)
    for path in place.iterdir():
        if path.is_file() and path.stat().st_mtime < time.time() - UNUSED:
            path.unlink(missing_ok=True)
    return place


@cache
def temporary() -> tempfile.TemporaryDirectory:
    return tempfile.TemporaryDirectory(prefix="attn-cache-")


def write(path: Path, content: bytes):
    """Whole or not at all: two builds may write at once."""
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(content)
    with suppress(OSError):  # on Windows, another build may be reading it
        shutil.move(file.name, path)
