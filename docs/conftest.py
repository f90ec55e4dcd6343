"""Every fence, number and formula of a page, notebook pages included, is a test; `pytest --write` corrects a page."""

import os
import re
from collections import Counter
from pathlib import Path

import pytest
from sybil import Sybil

from engine.checks import PARSERS
from engine.page import Page
from engine.write import write

SPREAD = {"test_access", "test_browser", "test_search", "test_widgets"}  # have no more in common than a browser
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


def rewrite(arguments) -> int:
    """With --write nothing is tested: what was written is read by its author first, then tested."""
    pages = [Path(argument.partition("::")[0]) for argument in arguments]
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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    result = yield
    item.ran = True  # and nothing was wrong: who needs the names of a whole page need not run it again
    return result


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """What is asked for: pages are written, the whole suite is spread over the processors, or tests run here."""
    if config.option.write:
        return rewrite(config.args)
    everything = config.args_source is config.ArgsSource.TESTPATHS
    unasked = getattr(config.option, "numprocesses", 0) is None  # neither -n, nor -p no:xdist
    watched = config.option.usepdb or config.option.capture == "no" or config.option.collectonly
    if everything and unasked and not watched and not hasattr(config, "workerinput") and processors() > 1:
        config.option.numprocesses = min(processors(), 4)
        os.environ.setdefault("OMP_NUM_THREADS", "1")  # each process has a processor of its own
    return None


def processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Whoever spreads the tests over processes spreads whole files, and of SPREAD each test."""
    if config.getoption("dist") != "load":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class Files(LoadScopeScheduling):
        def add_node_collection(self, node, collection):
            """Several examples may begin in one place, and so have one name; here each has its own."""
            seen, names = Counter(), []
            for name in collection:
                seen[name] += 1
                names.append(f"{name} {seen[name]}" if seen[name] > 1 else name)
            super().add_node_collection(node, names)

        def _split_scope(self, nodeid):
            file, _, name = nodeid.partition("::")
            if page := re.fullmatch(r"test_no_decimal_of_a_page_can_be_changed\[(.*)\]", name):
                return f"docs/{page[1]}"  # it needs the names of the page
            return nodeid if Path(file).stem in SPREAD else file

    config.option.loadscopereorder = False  # the order of collection says what comes first
    return Files(config, log)
