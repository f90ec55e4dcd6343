"""Break the pages, one change at a time, and count what nobody would notice.

    python tests/break_pages.py                                   every change to every page
    python tests/break_pages.py by-hand notebooks --kind decimal  pages and kinds by a part of their name
    python tests/break_pages.py --sample 500 --seed 7             some of them
    python tests/break_pages.py --json report.json                for machines

Each change is made to one page, and the whole page runs until it fails; where no code has changed, its numbers and
formulas are compared with what the code gave before. It is noticed *alike* if the page itself fails: then it would fail
made in both languages at once. It is noticed *alone* if that, or the comparison with its twin, fails. A change may
survive if all that the page says stays true: SAME says which do, and why. The canaries change nothing and must survive,
or the tool is broken. tests/counts.toml keeps how much each page says, so that nothing is left out in silence. Exits
with 1 if a kind misses its target or a change to one language alone survives, with 2 if a canary dies.
"""

import argparse
import contextlib
import io
import json
import multiprocessing
import os
import random
import re
import signal
import sys
import time
import tomllib
from collections import Counter, defaultdict
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "docs"))

import changes
import pages
import test_twins
import torch
from changes import Change

from engine.equations import Equations
from engine.fences import Fences
from engine.numbers import Numbers
from engine.page import Page
from engine.shown import Shown

SECONDS = 40  # of computing, for one changed page
TARGETS = {  # per cent that must be noticed made in both languages alike; other kinds are told only
    "decimal": 99,
    "two decimals swapped": 99,
    "line of an output": 99,
    "line of an output left out": 99,
    "literal in a block": 95,
    "operator in a block": 95,
    "block left out": 95,
    "whole number in a table": 95,
    "whole number in a calculation": 95,
    "formula of a calculation": 95,
}
WORDS = {"whole number in prose", "whole number in code"}  # languages may say it in other words

SAME = [  # (what "page: was → becomes" looks like, why all that the page says stays true)
    (r"torch\.manual_seed\(", "what a page prints holds for every seed"),
    (r"round\(decimals=2\).* → .*round\(decimals=3\)", "the third digit is 0 in all that is printed"),
    (r"by-hand.md: .*QK(\^\\top)? ?[=}].* → .*QK", "in the first example K is symmetric, as the page says"),
    (
        r"by-hand.md: .*(K\.shape\[-1\]|softmax\(dim=|powers\.sum)",
        "in the first example Q, K and weights are symmetric",
    ),
    (r"[+-] (0?(\.\d+)? ?\\times 0 |0 \\times 1 = 0|1 \\times 0 =).* → ", "adding or subtracting nothing is the same"),
    (r"why-scale.md: .*products = \(q \* k\)", "dividing by 1 or −1 is multiplying"),
    (r"torch\.set_num_threads\(", "how many threads compute changes no digit that is printed"),
    (r"strict=True.* → .*strict=False", "the lists are equally long, or the page would fail"),
    (r"cost.md: .*block=128", "the result is the same whatever the size of a block"),
    (r"cost.md: \.\.\. numbers = 0 →", "the largest of many numbers is larger than 1"),
    (r"cost.md: .*-torch\.inf\), 0, 0, \[\]", "what was before the first block fades to 0, as is printed"),
    (r"formula.md: .*softmax\(\(?x \+ c\)|\(x \+ c\)\.softmax", "taking the same from every score is no different"),
    (r"2 \\times 2 = 4.* → .*2 \+ 2 = 4", "2 + 2 is 4, too"),
    (r"bug-zoo.py: .*torch\.(zeros|ones)\(1, 6, 6", "one mask for both sentences, or one for each"),
    (r"sqrt-dk.py: .*randn\(2, 1000, d_k\)", "the variance of many scores"),
    (r"sqrt-dk.py: .*0\.0, -200\.0", "what is far from a bound may move"),
    (r"history.md: .*d_hidden=8|scoring.md: .*d_hidden=64", "a layer between may have any size"),
    (r"history.md: .*randn\(2, 40000, 5, 4\)", "the mean of many random weights, whatever their number and size"),
    (r"history.md: .*u, m, c = torch\.randn\(1, 3\)", "true of any number of questions"),
    (
        r"history.md: .*(words=32, d=16|\(x @ W_v\)|weights\[:, -1, 0\])",
        "a size, a sign and the last word but one change little",
    ),
    (r"history.md: .*\(normalized, True\):", "with keys of one length the mask makes no difference"),
    (r"kv-cache.md: .*KVCache\(capacity=", "a cache may have more room than it needs"),
    (r"kv-cache.md: .*(torch\.ones\(1, 1, 4 \+ pads|write\(pads=)", "true of any number of pads, and of prompts"),
    (r"masks-pytorch.md: .*attention_weights\(q, five, causal=True\)", "the last query sees every key, as is said"),
    (r"masks.md: .*layer\(earlier, causal=True\)", "outputs under different masks differ, too"),
    (r"masks-pytorch.md: .*create_mask\(lambda", "the first of several equal tables is looked at"),
    (r"masks-pytorch.md: .*MultiheadAttention\(4, 1, ", "heads with equal scores have equal weights"),
    (r"order.md: .*(sinusoidal\(11, d_model\)|rope\(q\.expand\(4, d_k)", "a longer table begins with the same rows"),
    (r"order.md: .*flat = torch\.zeros\(2, 4, 2\)", "words without content are alike, whatever their size"),
    (r"pytorch.md: .*batch = torch\.randn\(5, 7, 2, 3\)", "the sums are the same for any number of keys"),
    (r"scoring.md: .*linear = torch\.nn\.Linear\(64, 64\)", "queries and keys may be of any size"),
    (r"scoring.md: .*hidden_2 = .* \+ ", "the page counts these numbers, and their number stays"),
    (r"scoring.md: .*(Y = torch\.randn\(5|Q_4, K_4 = torch\.randn\(2, 99)", "true of any number of words"),
    (r"transformer-block.md: .*for _ in range\(10000\)", "the mean of many draws"),
    (r"transformer-block.md: .*variance \+ norm\.eps", "what keeps from dividing by 0 is too small to see"),
    (r"transformer-block.md: .* 8, 2, 32, 0\.0, ", "torch's feed-forward network may have any width: it is taken over"),
]
RECORD = pages.ROOT / "tests" / "counts.toml"
RAN = {}  # page: what runs on it, and the names that are there when it has run


def noticed(change: Change) -> tuple[bool, bool]:
    """Whether the page itself fails, and whether it or its comparison with the twin does."""
    with limited(SECONDS), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            alike = fault(document(change.page, change.text)) is not None
        except BaseException:  # a parser that gives up fails the page, too, and so does a page that never ends
            alike = True
    alike = alike or bool(less(change.page, change.text))
    return alike, alike or differs(change.page, change.text)


def document(page, text):
    """A page to run, or only to compare with the names that its code gave before."""
    known, names = RAN.get(page, (None, {}))
    code = [] if known == running(text) else [Fences()]
    found = Page.of(text, pages.DOCS / page, [*code, Numbers(), Equations(), Shown()])
    found.namespace.update({} if code else names)
    return found


def running(text):
    """What runs on a page, and what it should print."""
    page = Page.of(text)
    said = [comment.value for comment in page.comments if comment.kind in {"source", "prints"}]
    return [(fence.info, fence.code) for fence in page.fences if fence.runs], said


def fault(document):
    """The first thing that fails on a page, or None."""
    for example in document.examples():
        try:
            example.evaluate()
        except Exception as error:
            return str(error) or type(error).__name__
    return None


@contextlib.contextmanager
def limited(seconds):
    """Interrupt what takes too long, again and again, as a page catches what its blocks raise."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def differs(page, text):
    language, _, file = page.partition("/")
    other = "en" if language == "zh" else "zh"
    if not (pages.DOCS / other / file).exists():
        return False
    texts = {language: text, other: pages.read(f"{other}/{file}")}
    try:
        return bool(test_twins.differences(file, texts["zh"], texts["en"]))
    except Exception:
        return True


def run(todo, workers=2):
    """(change, alike, alone) for each change."""
    if not workers:
        yield from ((change, *noticed(change)) for change in todo)
        return
    with multiprocessing.get_context("fork").Pool(workers) as pool:
        for done, (change, verdict) in enumerate(zip(todo, pool.imap(noticed, todo, 4), strict=True), start=1):
            if sys.stderr.isatty():
                print(f"{done} of {len(todo)}", end="\r", file=sys.stderr)
            yield change, *verdict


def collect(names=(), kinds=()):
    """The changes and the canaries of the pages whose name contains one of `names`, and what fails unchanged."""
    todo, birds, broken = [], [], []
    for page in pages.ALL:
        if names and not any(name in page for name in names):
            continue
        text = pages.read(page)
        RAN.pop(page, None)
        unchanged = document(page, text)
        with contextlib.redirect_stdout(io.StringIO()):
            told = fault(unchanged)
        if told:
            broken.append(f"docs/{page}: {told}")
            continue
        RAN[page] = running(text), unchanged.namespace
        todo += [change for change in changes.all_of(page, text) if matches(change.kind, kinds)]
        birds += changes.canaries(page, text)
    return todo, birds, broken


def matches(kind, kinds):
    return not kinds or any(part in kind for part in kinds)


def explained(change):
    told = f"{change.page}: {change.was} → {change.becomes}"
    return next((why for pattern, why in SAME if re.search(pattern, told)), None)


def counts(text):
    """How much of a page there is to check."""
    page = Page.of(text)
    return {
        "decimals": sum("." in match[0] for match in changes.NUMBER.finditer(changes.seen(text))),
        "formulas": sum(formula.display or changes.is_worked(formula.tex) for formula in page.formulas),
        "blocks": sum(fence.runs for fence in page.fences) + len(page.said("source")),
        "figures": sum(fence.language == "figure" for fence in page.fences),
        "answers": len(changes.ANSWER.findall(text)),
    }


def less(page, text):
    """What a page has less of than was recorded: pages are not mended by saying less."""
    record = recorded().get(page.partition("/")[2], {})
    return [f"{now} {what}, and had {record[what]}" for what, now in counts(text).items() if now < record.get(what, 0)]


@lru_cache(1)
def recorded():
    return tomllib.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {}


def record():
    head = """# How much of each page there is to check; formulas count where they are displayed or computed.
# A page that says less on purpose gets its lower number here, by hand; `python tests/break_pages.py --record` writes
# all of them anew.

"""
    rows = [f'"{page}" = {{{line(page)}}}\n' for page in pages.files("zh")]
    RECORD.write_text(head + "".join(rows), "utf-8")


def line(page):
    zh, en = (counts(pages.read(f"{language}/{page}")) for language in ("zh", "en"))
    return ", ".join(f"{what} = {min(number, en[what])}" for what, number in zh.items())


def scores(results):
    """For each kind: how many changes, how many of them noticed alike and alone, and the per cent of both."""
    kinds = defaultdict(Counter)
    for change, alike, alone in results:
        fair = alike or not explained(change)
        kinds[change.kind] += Counter(changes=1, fair=fair, alike=alike, alone=alone)
    for kind, found in sorted(kinds.items()):
        alike, alone = found["alike"] / max(1, found["fair"]), found["alone"] / found["changes"]
        yield kind, found["changes"], found["alike"], 100 * alike, 100 * alone


def survivors(results, everything=False):
    """What nobody noticed made in both languages alike, and what nobody noticed made in one."""
    left = [change for change, alike, _ in results if not alike and not explained(change)]
    alike = [change for change in left if everything or change.kind in TARGETS]
    alone = [change for change, _, alone in results if not alone and (everything or change.kind not in WORDS)]
    return alike, alone


def report(results, seconds, everything):
    print(f"\n{'kind':<32}{'changes':>8}{'alike':>8}{'':>8}{'alone':>8}")
    for kind, total, alike, percent, alone in scores(results):
        print(
            f"{kind:<32}{total:>8}{alike:>8}{percent:>7.1f}%{alone:>7.1f}%{'' if kind in TARGETS else '  (told only)'}"
        )
    for words, left in zip(("both languages alike", "one language alone"), survivors(results, everything), strict=True):
        print(f"\nNot noticed in {words}: {len(left)}\n" + "".join(f"  {change}\n" for change in left), end="")
    print(f"\n{'page':<36}" + "".join(f"{what:>9}" for what in counts("")))
    for page in sorted({change.page for change, *_ in results}):
        print(f"{page:<36}" + "".join(f"{number:>9}" for number in counts(pages.read(page)).values()))
    print(f"\n{len(results)} changes in {seconds:.0f} s, {60 * len(results) / max(seconds, 1):.0f} a minute.")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", help="parts of names, such as zh/by-hand")
    parser.add_argument("--kind", action="append", default=[], help="a part of the name of a kind")
    parser.add_argument("--sample", type=int, help="so many changes, chosen at random")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--all", action="store_true", help="list the survivors of the kinds told only, too")
    parser.add_argument("--workers", type=int, default=2 if hasattr(os, "fork") else 0)
    parser.add_argument("--json", type=Path, help="write every change and its verdict here")
    parser.add_argument("--record", action="store_true", help="write tests/counts.toml anew, and break nothing")
    return parser.parse_args()


def main():
    options = arguments()
    if options.record:
        return record()
    torch.set_num_threads(1)  # before the first page runs: its threads would not survive a fork
    todo, birds, broken = collect(options.pages, options.kind)
    print("".join(f"fails unchanged: {fault}\n" for fault in broken), end="")
    if options.sample and options.sample < len(todo):
        todo = random.Random(options.seed).sample(todo, options.sample)
    started = time.monotonic()
    dead = [change for change, alike, _ in run(birds, options.workers) if alike]
    results = list(run(todo, options.workers))
    report(results, time.monotonic() - started, options.all)
    print(f"{len(birds) - len(dead)} of {len(birds)} canaries live.\n" + "".join(f"  dead: {bird}\n" for bird in dead))
    if options.json:
        rows = [asdict(change) | {"alike": alike, "alone": alone} for change, alike, alone in results]
        rows = [{key: value for key, value in row.items() if key != "text"} for row in rows]
        options.json.write_text(json.dumps(rows, ensure_ascii=False, indent=1), "utf-8")
    if dead or not birds:
        return 2
    short = [kind for kind, _, _, alike, _ in scores(results) if alike < TARGETS.get(kind, 0)]
    return int(bool(broken or short or survivors(results)[1]))


test_twins.skeleton = lru_cache(16)(test_twins.skeleton)  # the twin stays the same for many changes

if __name__ == "__main__":
    sys.exit(main())
