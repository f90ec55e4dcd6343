"""The command `python -m attn.check`: it examines a function in a file of the reader's own, in the reader's language.

    python -m attn.check mine.py            the only attention in the file, or the one named `attention`
    python -m attn.check mine.py:my_name    the one with this name
    python -m attn.check mine.py --zh       说中文；--en: in English

It ends with 0 if nothing wrong was found, with 1 if something was, with 2 if there was nothing to examine.
"""

import importlib.util
import inspect
import locale
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from torch import Tensor

from attn.labs.check import check_attention, printable

USAGE = (
    "usage: python -m attn.check mine.py  or  mine.py:name  (in Chinese: --zh)",
    "用法：python -m attn.check mine.py，或 mine.py:函数名（用英文：--en）",
)
NO_FILE = ("there is no file {path}", "没有文件 {path}")
NOT_PYTHON = ("{path} must be a Python file, its name ends in .py", "{path} 应该是 Python 文件，名字以 .py 结尾")
STOPPED = ("{path} stopped while it was read: {error}", "{path} 读到一半出错了：{error}")
NO_NAME = ("{path} has no function {name}: it has {names}", "{path} 里没有函数 {name}，有的是：{names}")
NONE = (
    "{path} must hold a function of at least three arguments, Q, K and V: it has {names}",
    "{path} 里应该有一个至少收三个参数（Q、K、V）的函数，现在有的是：{names}",
)
SEVERAL = (
    "{path} has several functions of Q, K and V: {names}. Name one of them, {path}:{first}",
    "{path} 里有好几个收 Q、K、V 的函数：{names}。请指定一个，例如 {path}:{first}",
)
NOTHING = ("none", "一个也没有")


def main(arguments: list[str] | None = None) -> NoReturn:
    """Print the report on the function named on the command line, and end."""
    given = sys.argv[1:] if arguments is None else arguments
    zh = speaks_chinese(given)
    names = [argument for argument in given if argument not in ("--zh", "--en")]
    if len(names) != 1 or names[0].startswith("-"):
        stop(USAGE[zh])
    report = check_attention(function(names[0], zh), "zh" if zh else "en")
    print(report)
    sys.exit(0 if report.passed else 1)


def speaks_chinese(arguments: list[str]) -> bool:
    """What the command says, or else the system."""
    if "--zh" in arguments or "--en" in arguments:
        return "--zh" in arguments
    spoken = [os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG")]
    first = next(filter(None, spoken), None) or locale.getlocale()[0] or ""
    return first.lower().startswith(("zh", "chinese"))


def function(place: str, zh: bool) -> Callable[..., Tensor]:
    """The function at `mine.py` or `mine.py:name`."""
    path, name = Path(place), ""
    if not path.exists() and ":" in place[2:]:  # C:\mine.py has a colon, too
        path, name = Path(place.rpartition(":")[0]), place.rpartition(":")[2]
    if not path.is_file():
        stop(NO_FILE[zh].format(path=path))
    if path.suffix != ".py":
        stop(NOT_PYTHON[zh].format(path=path))
    found = callables(path, zh)
    own = {name: each for name, each in found.items() if is_own(each)}
    listed = ", ".join(own) or NOTHING[zh]
    if name:
        if name not in found:
            stop(NO_NAME[zh].format(path=path, name=name, names=listed))
        return found[name]
    fit = {name: each for name, each in own.items() if takes_three(each)}
    fit = {"attention": fit["attention"]} if "attention" in fit else fit
    if not fit:
        stop(NONE[zh].format(path=path, names=listed))
    if len(fit) > 1:
        stop(SEVERAL[zh].format(path=path, names=", ".join(fit), first=next(iter(fit))))
    return next(iter(fit.values()))


def callables(path: Path, zh: bool) -> dict[str, Callable[..., Tensor]]:
    """What can be called in a file, by name, classes apart."""
    spec = importlib.util.spec_from_file_location("mine", path)
    assert spec is not None and spec.loader is not None  # its name ends in .py
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.resolve().parent))
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        stop(STOPPED[zh].format(path=path, error=f"{type(error).__name__}: {error}"))
    return {
        name: thing
        for name, thing in vars(module).items()
        if callable(thing) and not inspect.isclass(thing) and not name.startswith("_")
    }


def is_own(thing: Callable[..., Tensor]) -> bool:
    """A function of the file, or an object that it has made, for example a module of torch."""
    return getattr(thing, "__module__", "mine") == "mine" or not inspect.isroutine(thing)


def takes_three(thing: Callable[..., Tensor]) -> bool:
    try:
        parameters = inspect.signature(getattr(thing, "forward", thing)).parameters.values()
    except ValueError:
        return False
    free = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return len(free) >= 3


def stop(message: str) -> NoReturn:
    print(printable(message), file=sys.stderr)
    sys.exit(2)
