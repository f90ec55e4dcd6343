"""Every public name of attn shows an example that runs."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import attn

MODULES = ["attn", *(module.name for module in pkgutil.walk_packages(attn.__path__, "attn."))]
FINDER = doctest.DocTestFinder()


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_run(name):
    told = []
    for test in FINDER.find(importlib.import_module(name)):
        doctest.DocTestRunner(optionflags=doctest.REPORT_NDIFF).run(test, out=told.append)
    assert not told, "".join(told)


@pytest.mark.parametrize("name", attn.__all__)
def test_a_public_name_has_an_example(name):
    thing = getattr(attn, name)
    examples = [example for test in FINDER.find(thing, name) for example in test.examples]
    place = f"{inspect.getsourcefile(thing)}:{inspect.getsourcelines(thing)[1]}"
    assert examples, f"{place}: {name} is public and shows no example: write one (>>>) in its docstring"


def test_public_names_are_listed():
    """attn.__all__ holds what attn/__init__.py imports, in order."""
    listed = attn.__all__
    assert listed == sorted(listed) == sorted(name for name, thing in vars(attn).items() if own(name, thing))


def own(name, thing):
    return not name.startswith("_") and getattr(thing, "__module__", "").startswith("attn.")
