"""Serve attn itself: the wheel that pages tell their readers to install."""

import hashlib
import tomllib
from pathlib import Path

from flit_core.wheel import make_wheel_in
from mkdocs.structure.files import File

ROOT = Path(__file__).parents[2]


def on_files(files, config):
    """The landing page's build holds it, at the root of the site, and `{{ wheel }}` in a page is its address."""
    if Path(config.docs_dir).name == "home":
        wheel = build()
        files.append(File.generated(config, wheel.name, abs_src_path=str(wheel)))


def on_page_markdown(markdown, page, config, files):
    home = config.site_url.removesuffix(f"{Path(config.docs_dir).name}/")
    return markdown.replace("{{ wheel }}", home + name())


def name():
    with Path(ROOT, "pyproject.toml").open("rb") as settings:
        return f"attn-{tomllib.load(settings)['project']['version']}-py3-none-any.whl"


def build():
    """The wheel of today's sources, made once for each state of them."""
    sources = [*sorted(ROOT.glob("attn/**/*.py")), ROOT / "pyproject.toml", ROOT / "README.md", ROOT / "LICENSE"]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:12]
    folder = ROOT / ".cache" / "wheel" / digest
    if not (folder / name()).exists():
        folder.mkdir(parents=True, exist_ok=True)
        make_wheel_in(ROOT / "pyproject.toml", folder)
    return folder / name()
