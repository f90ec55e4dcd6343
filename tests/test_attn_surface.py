"""What the package shows to the outside, and how large it is."""

import ast
import doctest
import importlib
import inspect
import io
import pkgutil
import tokenize
from pathlib import Path

import pytest
import torch

import attn

FOLDER = Path(attn.__file__).parent
MODULES = [module.name for module in pkgutil.walk_packages([str(FOLDER)], "attn.")]
PUBLIC = [getattr(attn, name) for name in attn.__all__]


def lines_of_code(path):
    """Lines that hold code: not blank, not comment, not docstring."""
    blank = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    text, lines = path.read_text(encoding="utf-8"), set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in blank and not token.string.startswith('"""'):
            lines |= set(range(token.start[0], token.end[0] + 1))
    return len(lines)


def test_it_can_be_read_in_an_hour():
    # About 410, and 30 for what compile, export, vmap, changed layers and NaN behind masks ask for; check.py is a door.
    assert sum(lines_of_code(path) for path in FOLDER.glob("*.py")) <= 443


def test_names():
    assert attn.__all__ == sorted(attn.__all__) and len(attn.__all__) == 15
    public = {name for name, thing in vars(attn).items() if not name.startswith("_") and not inspect.ismodule(thing)}
    assert public == set(attn.__all__)
    assert (FOLDER / "py.typed").exists()


@pytest.mark.parametrize("module", MODULES)
def test_it_imports_torch_and_nothing_else(module):
    spec = importlib.util.find_spec(module)
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    names = set()
    for node in ast.walk(tree):
        names |= {alias.name for alias in node.names} if isinstance(node, ast.Import) else set()
        names |= {node.module} if isinstance(node, ast.ImportFrom) else set()
    roots = {name.split(".")[0] for name in names}
    import sys

    assert roots <= {"torch", "attn"} | set(sys.stdlib_module_names)
    if not module.startswith("attn.labs") and module != "attn.check":  # the door to the labs, for the command line
        assert not any(name.startswith("attn.labs") for name in names)


@pytest.mark.parametrize("module", ["attn", *MODULES])
def test_docstrings_say_what_and_their_examples_run(module):
    module = importlib.import_module(module)
    assert module.__doc__
    failed, _ = doctest.testmod(module, extraglobs={"torch": torch})
    assert failed == 0


@pytest.mark.parametrize("thing", PUBLIC, ids=attn.__all__)
def test_every_public_name_is_documented_by_an_example(thing):
    assert ">>>" in thing.__doc__, "an executed example"
    if inspect.isfunction(thing):
        for name in inspect.signature(thing).parameters:
            assert name in thing.__doc__, f"{name} is not documented"
        hints = thing.__annotations__
        assert set(hints) == {*inspect.signature(thing).parameters, "return"}


def test_options_are_the_same_everywhere():
    def options(fn):
        return {n: p.default for n, p in inspect.signature(fn).parameters.items() if p.kind is p.KEYWORD_ONLY}

    usual = {"mask": None, "causal": False, "bias": None, "scale": None}
    assert options(attn.attention_scores) == {"scale": None}
    assert options(attn.attention_weights) == options(attn.attention) == usual
    assert options(attn.fused_attention) == usual | {"dropout": 0.0}
    assert options(attn.blockwise_attention) == usual | {"block": 256}
    assert options(attn.MultiHeadAttention) == {"num_kv_heads": None, "bias": True, "dropout": 0.0}
    del usual["scale"]
    assert options(attn.MultiHeadAttention.weights) == usual
    assert options(attn.MultiHeadAttention.forward) == options(attn.TransformerBlock.forward) == usual | {"cache": None}
