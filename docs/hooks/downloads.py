"""Offer each notebook for download, as Jupyter opens it: the same cells, with what only this site reads put plainly."""

import json
import re
import sys
import textwrap
from pathlib import Path

import jupytext

sys.path.insert(0, str(Path(__file__).parents[1]))
from promise.numbers import STRIP
from promise.source import as_fences

FIGURE = re.compile(r"^```figure .*?^```\n?", re.M | re.S)
BOX = re.compile(r'^(?:!!!|\?\?\?) \w+ "(?P<title>[^"\n]+)"\n(?P<text>(?:\n|[ ]{4}[^\n]*(?:\n|\Z))+)', re.M)
IDS = re.compile(r" \{ #[\w-]+ \}$", re.M)
LINK = re.compile(r"\]\((?!https?:)(?P<path>[^)#\s]*)(?P<place>#[^)\s]*)?\)")
INSTALL = re.compile(r"^```console\n(pip install .*?)\n```\n?", re.M)


def on_page_context(context, page, config, nav):
    if page.file.abs_src_path.endswith(".py"):
        page.download = f"{Path(page.file.src_uri).stem}.ipynb"


def on_post_page(output, page, config):
    if hasattr(page, "download"):
        notebook = plain(Path(page.file.abs_src_path), page, config)
        path = Path(page.file.abs_dest_path).with_name(page.download)
        path.parent.mkdir(parents=True, exist_ok=True)  # the page itself is written after this
        path.write_text(notebook, encoding="utf-8", newline="\n")


def plain(path, page, config):
    """The notebook's JSON: Markdown without our comments, boxes and figures; the install line is a cell that runs."""
    notebook = jupytext.read(path, fmt="py:percent")
    cells = []
    for cell in notebook.cells:
        parts = [cell.source] if cell.cell_type == "code" else re.split(INSTALL, markdown(cell.source, page, config))
        for number, part in enumerate(parts):
            kind = "code" if cell.cell_type == "code" or number % 2 else "markdown"
            source = f"%{part}" if number % 2 else part.strip("\n")
            if source:
                more = {"execution_count": None, "outputs": []} if kind == "code" else {}
                cells.append({"cell_type": kind, "id": f"cell-{len(cells)}", "metadata": {}, "source": source} | more)
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    whole = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def markdown(source, page, config):
    text = STRIP.sub("", as_fences(FIGURE.sub("", source)))
    text = BOX.sub(lambda box: f"**{box['title']}**\n\n{textwrap.dedent(box['text'])}", text)
    text = config.plugins.on_page_markdown(IDS.sub("", text), page=page, config=config, files=None)
    return LINK.sub(lambda link: f"]({address(page, link['path'])}{link['place'] or ''})", text)


def address(page, path):
    """Where a link of the source leads on the site."""
    target = Path(page.file.src_uri).parent / path if path else Path(page.file.src_uri)
    parts = []
    for part in target.with_suffix("").parts:
        parts = parts[:-1] if part == ".." else [*parts, part]
    base = page.canonical_url.removesuffix(page.url)
    return base + ("/".join(parts) + "/" if parts != ["index"] else "")
