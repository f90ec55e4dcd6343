"""Show the source of `attn` on a page: `<!-- source: attention_weights -->` stands for the code that runs."""

import ast
import builtins
import importlib
import inspect
import sys
from pathlib import Path

from engine.cache import until_code_changes


def fence(name: str) -> str:
    """The source as a `python` fence, titled with its file."""
    thing = find(name)
    return f'```python title="{thing.__module__.replace(".", "/")}.py"\n{shown(name)}\n```'


def find(name: str):
    """The function or class called `attention_weights` in attn, or `labs.check.check_attention` below it."""
    module, _, last = f"attn.{name}".rpartition(".")
    try:
        return getattr(importlib.import_module(module), last)
    except (ImportError, AttributeError) as error:
        raise LookupError(f"<!-- source: {name} --> asks for attn.{name}, and there is none") from error


@until_code_changes
def shown(name: str) -> str:
    """What the page shows: the imports that the code needs, then the code as it stands in attn, docstrings left out."""
    thing = find(name)
    code = without_docstrings(inspect.getsource(thing))
    imports = needed(ast.parse(code), sys.modules[thing.__module__])
    return "\n".join([*imports, "", "", code]) if imports else code


def without_docstrings(code: str) -> str:
    lines = code.splitlines()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            text = node.body[0]
            blank = text.end_lineno < len(lines) and not lines[text.end_lineno].strip()  # the empty line under it
            for number in range(text.lineno - 1, text.end_lineno + blank):
                lines[number] = None
    return "\n".join(line for line in lines if line is not None)


def needed(tree: ast.AST, module) -> list[str]:
    """The import lines, in the order of isort, for what the code uses and doesn't define."""
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    stored = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    own = {node.name for node in tree.body}
    known = imported(module)
    plain, grouped = [], {}
    for name in sorted(used - stored - own - set(dir(builtins))):
        if name not in vars(module):
            continue  # an argument
        origin, original = known.get(name, (module.__name__, name))
        if original is None:
            plain.append(f"import {origin}" if origin == name else f"import {origin} as {name}")
        else:
            grouped.setdefault(origin, []).append(original if original == name else f"{original} as {name}")
    lines = [*plain, *(f"from {origin} import {', '.join(names)}" for origin, names in sorted(grouped.items()))]
    own_lines = [line for line in lines if line.startswith("from attn")]
    others = [line for line in lines if line not in own_lines]
    return [*others, *([""] if others and own_lines else []), *own_lines]


def imported(module) -> dict[str, tuple[str, str | None]]:
    """Where each imported name comes from: {"F": ("torch.nn.functional", None), "Tensor": ("torch", "Tensor")}."""
    names = {}
    for node in ast.parse(Path(module.__file__).read_text("utf-8")).body:
        if isinstance(node, ast.Import):
            names |= {alias.asname or alias.name: (alias.name, None) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            origin = node.module if not node.level else ".".join(filter(None, [module.__package__, node.module]))
            names |= {alias.asname or alias.name: (origin, alias.name) for alias in node.names}
    return names
