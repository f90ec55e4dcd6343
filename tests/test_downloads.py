"""The notebooks that readers download: the cells of the page, and nothing that only this site understands."""

import re

import nbformat
import pages
import pytest

NOTEBOOKS = [page for page in pages.ALL if page.endswith(".py")]
OURS = re.compile(r"<!--|^!!!|^\?\?\?|\{ #|\{\{|^```figure", re.M)


@pytest.mark.parametrize("page", NOTEBOOKS)
def test_the_notebook_holds_the_cells_of_the_page(site, page):
    address = pages.address(page)
    name = f"{address.split('/')[-2]}.ipynb"
    html = (site / address / "index.html").read_text("utf-8")
    assert f'href="{name}" download' in html, f"{page} must offer {name}"
    notebook = nbformat.read(site / address / name, as_version=4)
    nbformat.validate(notebook)
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    assert re.fullmatch(r"%pip install http\S+\.whl", code[0])
    source = (pages.DOCS / page).read_text("utf-8")
    cells = re.findall(r"^# %%\n(.*?)(?=^# %%|\Z)", source, re.M | re.S)
    assert code[1:] == [cell.strip("\n") for cell in cells]  # which test_wheel.py runs with the wheel alone
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            assert not OURS.search(cell.source), f"{page}: {cell.source[:200]}"


@pytest.mark.parametrize("page", NOTEBOOKS)
def test_its_links_lead_back_to_the_site(site, server, page):
    address = pages.address(page)
    notebook = nbformat.read(next((site / address).glob("*.ipynb")), as_version=4)
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    text = re.sub(r"```.*?```", "", text, flags=re.S)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        assert link.startswith("http")
        if link.startswith(server):
            path = link.removeprefix(server).partition("#")[0]
            assert (site / path / "index.html").exists(), f"{page}: {link}"
