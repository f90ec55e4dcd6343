"""The reference documents every public name of attn, once, from its docstring."""

import doctest
import importlib
import pkgutil
import re

import pages
import pytest

import attn
import attn.labs

from engine import reference
from engine.page import Page

NAMES = re.compile(r"^#{3,4} (?P<name>[\w.]+) \{ #(?P<id>[\w.]+) \}$", re.M)
LABS = [f"labs.{module.name}" for module in pkgutil.iter_modules(attn.labs.__path__)]


def modules(language):
    return [each.value for each in Page.of(pages.read(f"{language}/api.md")).said("reference")]


@pytest.mark.parametrize("language", pages.LANGUAGES)
def test_every_public_name_is_documented_once(language):
    found = [match["name"] for name in modules(language) for match in NAMES.finditer(reference.module(name))]
    assert len(found) == len(set(found))
    public = {lab: reference.public(importlib.import_module(f"attn.{lab}")) for lab in LABS}
    of_labs = {reference.heading(lab, name) for lab, names in public.items() for name, _ in names}
    methods = {name for name in found if "." in name} - of_labs
    assert {*found} - methods == {*attn.__all__, *of_labs}


@pytest.mark.parametrize("name", modules("zh"))
def test_docstrings_are_shown_whole(name):
    """Each word of a docstring stands on the page, and each of its examples in a fence."""
    for title, thing in reference.public(importlib.import_module(f"attn.{name}")):
        shown = reference.documented(title, thing)
        outside = re.sub(r"^```.*?^```$", "", shown, flags=re.M | re.S)
        assert ">>>" not in outside
        missing = set(re.findall(r"\w+", thing.__doc__)) - set(re.findall(r"\w+", shown)) - {"Args", "BLANKLINE"}
        assert not missing, f"{title} lacks {missing}"


def test_examples_run_after_the_imports_of_the_page():
    """A reader who typed the first three lines of the page can paste any example."""
    session = pages.fences(pages.read("zh/api.md"))[0].code
    names = {}
    exec("\n".join(line.removeprefix(">>> ") for line in session.splitlines()), names)
    told = []
    for name in attn.__all__:
        for test in doctest.DocTestFinder().find(getattr(attn, name), name, globs=dict(names)):
            doctest.DocTestRunner().run(test, out=told.append)
    assert not told, "".join(told)
