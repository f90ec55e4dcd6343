"""Every fence, number and formula of a page, notebook pages included, is a test; `pytest --write` corrects a page."""

from pathlib import Path

import pytest
from sybil import Sybil

from engine.checks import PARSERS
from engine.page import Page
from engine.write import write

collect_ignore = ["engine", "figures", "theme"]
pytest_collect_file = Sybil(
    parsers=PARSERS,
    patterns=["*.md", "**/notebooks/*.py"],
    document_types={".md": Page, ".py": Page},
).pytest()


class NoModule(pytest.File):
    """A notebook that is named on the command line is a page here, not a module of tests."""

    def collect(self):
        return []


def pytest_pycollect_makemodule(module_path, parent):
    return NoModule.from_parent(parent, path=module_path)


def pytest_addoption(parser):
    parser.addoption(
        "--write",
        action="store_true",
        help="correct outputs and bound numbers of the pages that are named (docs/zh/formula.md …); tell each change",
    )


def pytest_cmdline_main(config):
    """With --write nothing is tested: what was written is read by its author first, then tested."""
    if not config.option.write:
        return None
    pages = [Path(arg.partition("::")[0]) for arg in config.args]
    told = [line for page in pages for path in files(page) for line in write(path)]
    print("\n".join([*told, f"{len(told)} corrections; read them, then run pytest."]))
    return 1 if told else 0


def files(page: Path):
    if page.is_file():
        return [page]
    return sorted([*page.rglob("*/*.md"), *page.rglob("notebooks/*.py")])


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """A page is one session: whoever shuffles the tests, those of a page stay in the order of the page."""
    places = {}
    for number, item in enumerate(items):
        if hasattr(item, "example"):
            places.setdefault(item.path, []).append(number)
    for numbers in places.values():
        in_order = sorted((items[number] for number in numbers), key=lambda item: item.example.region.start)
        for number, item in zip(numbers, in_order, strict=True):
            items[number] = item


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Whoever spreads the tests over processes spreads whole files."""
    from xdist.scheduler import LoadFileScheduling

    return LoadFileScheduling(config, log) if config.getoption("dist") == "load" else None
