"""Notebooks (py:percent files) as pages like every other, executed by mkdocs-jupyter, and as downloads.

What a cell prints stands under it, where pytest and readers look. `mkdocs build` executes each notebook, once for each
content, and compares; `mkdocs serve` shows what stands there.
"""

import json
import logging
import re
import textwrap
from pathlib import Path

from bs4 import BeautifulSoup
from mkdocs.structure.pages import Page as MkDocsPage
from nbconvert.preprocessors import ExecutePreprocessor

from engine import source
from engine.cache import kept
from engine.fences import prints_under, tidy
from engine.page import Page

ExecutePreprocessor.coalesce_streams = True  # or a busy machine cuts what a cell prints into pieces, anywhere
log = logging.getLogger("mkdocs.hooks.notebooks")
BOX = re.compile(r'^(?:!!!|\?\?\?) \w+ "(?P<title>[^"\n]+)"\n(?P<text>(?:\n|[ ]{4}[^\n]*(?:\n|\Z))+)', re.M)
IDS = re.compile(r" \{ #[\w-]+ \}$", re.M)
LINK = re.compile(r"\]\((?!https?:)(?P<path>[^)#\s]*)(?P<place>#[^)\s]*)?\)")


def is_notebook(page) -> bool:
    return page.file.src_uri.endswith(".py")


def show_as_page(page, execute: bool):
    """Render the notebook with the site's own Markdown, instead of mkdocs-jupyter's 0.6 MB of JupyterLab a page."""
    run = page.render  # mkdocs-jupyter's, which executes the cells

    def render(config, files):
        if execute:
            compare(page, outputs(page, run, config, files))
        MkDocsPage.render(page, config, files)

    page.render = render


def outputs(page, run, config, files) -> list[dict[str, str]]:
    """What each cell prints, complains of and draws."""

    def execute():
        run(config, files)
        html, page.content = page.content, None
        page.__dict__.pop("title", None)  # which mkdocs-jupyter sets; the page gives its own
        cells = [cell for cell in BeautifulSoup(html, "html.parser").select(".jp-CodeCell") if not nested(cell)]
        return json.dumps([output(cell) for cell in cells])

    return json.loads(kept("notebooks", Path(page.file.abs_src_path).read_text("utf-8"), make=execute))


def nested(cell):
    """mkdocs-jupyter wraps each code cell in a second one."""
    return cell.find_parent(class_="jp-CodeCell")


def output(cell):
    said = {"prints": [], "complains": [], "draws": []}
    for area in cell.select(".jp-OutputArea-output"):
        complains = "stderr" in area.get("data-mime-type", "")
        kind = "complains" if complains else "draws" if area.svg or area.img else "prints"
        said[kind].append(area.get_text().strip("\n"))
    return {kind: "\n".join(texts) for kind, texts in said.items()}


def compare(page, cells):
    """Warn of each cell that says something else than stands under it."""
    written = Page.parse(page.file.abs_src_path)
    listings = [fence for fence in written.fences if fence.language == "python"]
    for fence, said in zip(listings, cells, strict=True):
        under = prints_under(written, fence.end)
        place = f"{page.file.src_uri}:{written.line(fence.start)}"
        if said["complains"]:
            log.warning("%s: a cell complains: %s", place, said["complains"].strip())
        if said["draws"]:
            log.warning(
                "%s: a cell draws: put the picture into docs/figures, where it follows the page's colours", place
            )
        if tidy(said["prints"]) != tidy(under.value if under else ""):
            came = said["prints"].strip()
            log.warning("%s: executed, the cell prints otherwise than stands under it:\n%s", place, came)


def name(page) -> str:
    return f"{Path(page.file.src_uri).stem}.ipynb"


def write_download(page, where):
    """The same cells as Jupyter opens them, with what only this site reads put plainly."""
    path = Path(page.file.abs_dest_path).with_name(name(page))
    path.parent.mkdir(parents=True, exist_ok=True)  # the page itself is written after this
    base = page.canonical_url.removesuffix(page.url)
    cells = [
        {"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": source}
        | ({"execution_count": None, "outputs": []} if kind == "code" else {})
        for number, (kind, source) in enumerate(pieces(where, base))
    ]
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    notebook = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", encoding="utf-8", newline="\n")


def pieces(where, base):
    """(kind, text) of each cell: the line that installs attn is a cell that runs."""
    page, position = where.page, 0
    for fence in page.fences:
        installs = fence.language == "console" and fence.code.startswith("pip install ")
        if fence.language == "python" or installs:
            yield from prose(page, position, fence.start, where, base)
            line = f"%{fence.code.strip()}".replace("{{ wheel }}", where.wheel)
            yield "code", line if installs else fence.code.strip("\n")
            position = fence.end
    yield from prose(page, position, len(page.text), where, base)


def prose(page, start, end, where, base):
    """Markdown without our comments, boxes, ids and figures, its links complete."""
    text = page.text
    for fence in reversed(page.fences):
        if fence.language == "figure":
            text = text[: fence.start] + "\0" * (fence.end - fence.start) + text[fence.end :]
    part = Page.of(text[start:end].replace("\0", ""))
    text = part.text
    for comment in reversed(part.comments):
        shown = source.fence(comment.value) + "\n" if comment.kind == "source" else ""
        text = text[: comment.start] + shown + text[comment.end :]
    text = BOX.sub(lambda box: f"**{box['title']}**\n\n{textwrap.dedent(box['text'])}", text)
    text = IDS.sub("", text).replace("{{ wheel }}", where.wheel)
    text = LINK.sub(lambda link: f"]({address(where.file, link['path'], base)}{link['place'] or ''})", text).strip("\n")
    if text.strip():
        yield "markdown", text


def address(file, path, base):
    """Where a link of the source leads on the site."""
    target = Path(file).parent / path if path else Path(file)
    parts = []
    for part in target.with_suffix("").parts:
        parts = parts[:-1] if part == ".." else [*parts, part]
    return base + ("/".join(parts) + "/" if parts != ["index"] else "")
