"""What readers install and copy: the site's own wheel, and each page's code where only that is installed."""

import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from email.parser import HeaderParser

import pages
import pytest

from engine.fences import blocks as code_of
from engine.page import Page

PAGES = [page for page in pages.ALL if page.startswith("zh/")]  # their twins have the same code
RUN = """
import ast, json, sys, traceback
import attn

raised = {}
for page, blocks in json.load(sys.stdin).items():
    names, raised[page] = {"__name__": "__main__"}, []
    for number, code in enumerate(blocks, start=1):
        name = f"block {number}"
        for statement in ast.parse(code, name).body:  # one by one, as a session goes on after an error
            try:
                exec(compile(ast.Module([statement], []), name, "exec"), names)
            except Exception as error:
                told = "".join(traceback.format_exception_only(error)).strip()
                raised[page].append([f"{name}, line {statement.lineno}: {told}", told.splitlines()[-1]])
sys.stderr.write(json.dumps({"attn": attn.__file__, "raised": raised}))
"""


@pytest.fixture(scope="module")
def installed(site, server, tmp_path_factory):
    """A folder that holds what the address of the site's own `pip install` line holds, and nothing else."""
    page = (site / "zh" / "index.html").read_text("utf-8")
    address = re.search(r"pip install (\S+?\.whl)", re.sub(r"<[^>]*>", "", page))
    assert address, "docs/zh/index.md must say how to get attn: pip install {{ wheel }}"
    folder = tmp_path_factory.mktemp("installed")
    options = ["--no-deps", "--no-index", "--disable-pip-version-check", "--quiet", "--target", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, address[1]], check=True)
    return folder


@pytest.fixture(scope="module")
def pasted(installed, tmp_path_factory):
    """What comes of each page's code, in a namespace of its own, in a process that has only the wheel."""
    blocks = {page: code_of(Page.of(pages.read(page), page)) for page in PAGES}
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        input=json.dumps(blocks),
        cwd=tmp_path_factory.mktemp("elsewhere"),
        env=os.environ | {"PYTHONPATH": str(installed), "PYTHONUTF8": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    result = json.loads(done.stderr[done.stderr.index('{"attn"') :])
    assert result["attn"].startswith(str(installed)), f"{result['attn']} was imported instead of the wheel"
    return result["raised"]


@pytest.mark.parametrize("page", PAGES)
def test_what_is_copied_runs(pasted, page):
    text = pages.read(page)
    faults = [place for place, error in pasted[page] if error not in text]  # an error may be what the page shows
    assert not faults, f"docs/{page}, pasted where only the wheel is installed, fails in {'; '.join(faults)}"


def test_the_wheel_holds_attn_alone(site):
    project = tomllib.loads((pages.ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (wheel,) = site.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        said = HeaderParser().parsestr(archive.read(metadata).decode())
    sources = {path.relative_to(pages.ROOT).as_posix() for path in (pages.ROOT / "attn").rglob("*.py")}
    assert sources | {"attn/py.typed"} == {name for name in names if ".dist-info/" not in name}
    assert said["Version"] == project["version"]
    required = [line for line in said.get_all("Requires-Dist") if "extra ==" not in line]
    assert [re.match(r"\w+", line)[0] for line in required] == ["torch"]
