"""Serve attn itself: the wheel that pages tell their readers to install."""

import hashlib
import tomllib
from pathlib import Path

from flit_core.wheel import make_wheel_in

from engine.cache import ROOT, folder


def name():
    with Path(ROOT, "pyproject.toml").open("rb") as settings:
        return f"attn-{tomllib.load(settings)['project']['version']}-py3-none-any.whl"


def build():
    """The wheel of today's sources, made once for each state of them."""
    sources = [*sorted(ROOT.glob("attn/**/*.py")), ROOT / "pyproject.toml", ROOT / "README.md", ROOT / "LICENSE"]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:12]
    place = folder("wheel") / digest
    if not (place / name()).exists():
        place.mkdir(exist_ok=True)
        make_wheel_in(ROOT / "pyproject.toml", place)
    return place / name()
