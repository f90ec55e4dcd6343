"""Turn an executed notebook into a page like every other.

mkdocs-jupyter runs the cells; of the HTML that it makes (0.6 MB of JupyterLab a page, blind to the site's themes,
formulas and search) only the outputs are kept. The notebook's Markdown and code, with the outputs put under their
cells, are then rendered by the site's own Markdown.
"""

import hashlib
import logging
import re
import shutil
import sys
from html import escape
from pathlib import Path

from bs4 import BeautifulSoup
from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).parents[1]))
from promise import notebook

log = logging.getLogger("mkdocs.hooks.notebooks")
CODE = re.compile(r"^```python\n.*?^```$", re.M | re.S)


def on_config(config):
    """Each language keeps its own outputs, and a change of attn makes all of them stale."""
    root = Path(config.config_file_path).parent
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sorted((root / "attn").rglob("*.py"))))
    kept = root / ".cache" / "notebooks" / Path(config.docs_dir).name
    cache = kept / digest.hexdigest()[:12]
    for stale in set(kept.glob("*")) - {cache}:
        shutil.rmtree(stale, ignore_errors=True)  # another build may be faster
    config.plugins["mkdocs-jupyter"].config["cache_dir"] = str(cache)


@event_priority(50)
def on_page_content(html, page, config, files):
    path = Path(page.file.abs_src_path)
    if path.suffix != ".py":
        return html
    cells = [cell for cell in BeautifulSoup(html, "html.parser").select(".jp-CodeCell") if not nested(cell)]
    text = notebook.read(path)
    if len(cells) != len(CODE.findall(text)):
        raise PluginError(f"{path}: {len(CODE.findall(text))} code cells are written, {len(cells)} were run")
    outputs = iter([output(cell, page) for cell in cells])
    text = CODE.sub(lambda cell: cell[0] + next(outputs), text)
    page.markdown = config.plugins.on_page_markdown(text, page=page, config=config, files=files)
    Page.render(page, config, files)
    page.title = page._title_from_render
    question = BeautifulSoup(page.content, "html.parser").p  # with which every page begins
    page.meta.setdefault("description", question.get_text() if question else config.site_description)
    return page.content


def nested(cell):
    """mkdocs-jupyter wraps each code cell in a second one."""
    return cell.find_parent(class_="jp-CodeCell")


def output(cell, page):
    """What a cell printed and drew, as HTML that Markdown leaves alone."""
    printed, drawn = [], []
    for area in cell.select(".jp-OutputArea-output"):
        kind = area.get("data-mime-type", "")
        if "stderr" in kind:
            log.warning("%s: a cell complains: %s", page.file.src_uri, area.get_text().strip())
        elif picture := area.find("svg"):
            drawn.append(f'<div class="drawn" data-search-exclude>{picture}</div>')
        else:
            printed.append(area.get_text().strip("\n"))
    text = escape("\n".join(printed), quote=False)
    parts = ([f"<pre>{text}</pre>"] if printed else []) + drawn
    return "".join(f'\n\n<div class="output" tabindex="0" role="group">{part}</div>' for part in parts)
