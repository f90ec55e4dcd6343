"""Every fence, number and formula of a page, notebook pages included, is a test."""

import pytest
from sybil import Sybil

from engine.checks import PARSERS
from engine.page import Page

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
