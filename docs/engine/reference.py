"""The reference from the docstrings: `<!-- reference: functional -->` stands for what attn/functional.py makes public.

No tool does it: our docstrings are plain paragraphs with few fixed parts, which the site's own Markdown shows as they
stand, while mkdocstrings takes the examples in them for quotations.
"""

import importlib
import inspect
import re
import textwrap

PART = re.compile(r"(?P<name>Args|Returns|Raises):\n")
NAMES = {"Args": "Arguments", "Returns": "Returns", "Raises": "Raises"}
QUALIFIED = ("labs.next_word", "labs.orders")  # headed by their module: labs.senses has some of the same names
TYPES = re.compile(r"\b(?:torch\.nn\.modules\.\w+\.|torch\.(?=Tensor)|typing\.|attn\.(?:\w+\.)+)")


def module(name):
    found = public(importlib.import_module(f"attn.{name}"))
    parts = [documented(heading(name, one), thing) for one, thing in found]
    return "\n\n".join([f"In `attn/{name.replace('.', '/')}.py`:", *parts])


def heading(module, name):
    """What a name of a module is called on the page."""
    return f"{module.rpartition('.')[2]}.{name}" if module in QUALIFIED else name


def public(module):
    """The functions and classes that a module offers, in its order; of attn itself, those in attn.__all__."""
    listed = importlib.import_module("attn").__all__ if module.__name__.count(".") == 1 else None
    for name, thing in vars(module).items():
        own = inspect.isroutine(thing) or inspect.isclass(thing)
        if not own or thing.__module__ != module.__name__ or name.startswith("_"):
            continue
        if name in listed if listed else thing.__doc__ and not generated(thing):
            yield name, thing


def generated(thing):
    """Whether a docstring is not ours: a named tuple writes its own."""
    return thing.__doc__.startswith(f"{thing.__name__}(")


def documented(name, thing, level=3):
    """One name as Markdown: heading, signature, docstring; of a class, its documented methods, too."""
    parts = [f"{'#' * level} {name} {{ #{name} }}", fence("{ .python .no-copy }", signature(name, thing))]
    parts += described(inspect.getdoc(thing) or "")
    if inspect.isclass(thing):
        for method, function in vars(thing).items():
            bound = getattr(thing, method)
            if not method.startswith("_") and inspect.isroutine(bound) and bound.__doc__:
                parts.append(documented(f"{name}.{method}", unwrapped(function), level + 1))
    return "\n\n".join(parts)


def unwrapped(function):
    return getattr(function, "__func__", function)  # of a classmethod


def signature(name, thing):
    """How it is called: on one line, or with a line for each argument."""
    made = inspect.signature(thing)
    arguments, named = [], False
    for argument in made.parameters.values():
        if argument.kind is argument.KEYWORD_ONLY and not named:
            arguments.append("*")
            named = True
        if argument.name not in ("self", "cls"):
            arguments.append(TYPES.sub("", str(argument)))
    result = made.return_annotation
    if inspect.isclass(thing) or result is made.empty:
        after = ""
    else:
        after = f" -> {TYPES.sub('', inspect.formatannotation(result))}"
    line = f"{name}({', '.join(arguments)}){after}"
    return line if len(line) <= 72 else f"{name}(\n" + "".join(f"    {one},\n" for one in arguments) + f"){after}"


def described(docstring):
    """The paragraphs of a docstring as Markdown."""
    parts = []
    for paragraph in re.split(r"\n{2,}", docstring.strip()):
        if named := PART.match(paragraph):
            parts.append(f"**{NAMES[named['name']]}**{items(textwrap.dedent(paragraph[named.end() :]))}")
        elif paragraph.startswith(">>>"):
            parts.append(fence("pycon", paragraph.replace("<BLANKLINE>", "")))
        else:
            parts.append(linked(paragraph))
    return parts


def items(text):
    """What follows the name of a part: `name: what it is` as a list, or a sentence; lines further in go on."""
    lines = re.sub(r"\n +", " ", text).split("\n")
    named = [re.match(r"(?P<names>\w+(?:, \w+)*): (?P<rest>.+)", line) for line in lines]
    if not all(named):
        return f": {linked(' '.join(lines))}"
    return "\n\n" + "\n".join(f"- {coded(item['names'])}: {linked(item['rest'])}" for item in named)


def coded(names):
    return ", ".join(f"`{name}`" for name in names.split(", "))


def linked(text):
    """Names of attn lead to their place on this page, papers to arXiv."""
    attn = importlib.import_module("attn")
    text = re.sub(r"`(\w+)`", lambda name: f"[{name[0]}](#{name[1]})" if name[1] in attn.__all__ else name[0], text)
    return re.sub(r"arXiv:(\d{4}\.\d{5})", r"[arXiv:\1](https://arxiv.org/abs/\1)", text)


def fence(head, code):
    return f"```{head}\n{code}\n```"
