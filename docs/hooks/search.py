"""Find what a reader types: words cut as the terms are, a term's teaching page first, and nothing loaded before."""

import re
import sys
from pathlib import Path

import jieba
from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File

sys.path.insert(0, str(Path(__file__).parents[1]))
from promise.terms import has_han, load

LATER = """t=(()=>{let w;const c=new EventTarget;return c.postMessage=d=>{w||((w=new Worker(e)).onmessage=\
({data:a})=>c.dispatchEvent(new MessageEvent("message",{data:a}))),w.postMessage(d)},c})()"""
MENDED = {
    "workers/search": {
        # Material cuts what is typed into words it knows, and never looks at the last: 注意力权重 finds 注意力.
        "for(let o=s+1;o<t.length;o++)t.slice(s,o)in e": "for(let o=s+1;o<=t.length;o++)t.slice(s,o)in e",
        # It also glues the words to Latin letters beside them: KV缓存 is typed without a space.
        's=>[...fe(s,this.index.invertedIndex)].join("* ")': 's=>` ${[...fe(s,this.index.invertedIndex)].join(" ")} `',
    },
    "bundle": {
        # Every page fetches the whole index. Wait, as Material does for files on disk, until the search is opened;
        'L($(location.protocol!=="file:"),Je("search"))': 'Je("search")',
        # nor start the search's own process before;
        "t=new Worker(e)": LATER,
        # nor ask for the index to mark the words of a search, on a page that none led to.
        'z([t,r.pipe(Q(we()),g(o=>!!o.searchParams.get("h")))])': 'r.pipe(Q(we()),g(o=>!!o.searchParams.get("h")),'
        "b(o=>t.pipe(m(i=>[i,o]))))",
        # Each block of code has a landmark of its own for its copy button, all of them without a name.
        'x("nav",{class:"md-code__nav"})': 'x("div",{class:"md-code__nav"})',
        # A tooltip stands outside of every landmark.
        "r=document.body){return Vt": 'r=document.querySelector("main")||document.body){return Vt',
    },
}


@event_priority(100)  # before the search cuts its first word
def on_config(config):
    """Teach jieba the terms that it would cut into pieces of one character: 键值|对 is one word, 因果|掩码 is two."""
    jieba.setLogLevel("WARNING")
    for word in sorted({form for term in load() for form in term.forms("zh")}, key=len):
        if has_han(word) and "的" not in word and any(len(piece) == 1 for piece in jieba.cut(word)):
            jieba.add_word(word)


def on_files(files, config):
    """Serve Material's scripts with these faults mended."""
    for script, faults in MENDED.items():
        address = re.compile(rf"assets/javascripts/{script}\.\w+\.min\.js")
        file = next(file for file in files if address.fullmatch(file.src_uri))
        text = Path(file.abs_src_path).read_text("utf-8")
        for fault, mended in faults.items():
            if text.count(fault) != 1:
                raise PluginError(f"{file.src_uri} is not the script that was mended: does it still need {mended}?")
            text = text.replace(fault, mended)
        files.remove(file)
        files.append(File.generated(config, file.src_uri, content=re.sub(r"\n//# sourceMappingURL.*", "", text)))


@event_priority(50)  # before the index is written
def on_post_build(config):
    """Enter each term in the index at the place that teaches it, as at the back of a book."""
    index = config.plugins["material/search"].search_index
    entries = {entry["location"]: entry for entry in index.entries}
    for term in load():
        entry = entries.get(address(term.page)) or entries.get(address(term.page.partition("#")[0]))
        if entry:  # the page may be still to come
            words = {term.zh, *term.short, term.en, term.code} - {""}
            entry.setdefault("tags", []).extend(index._segment_chinese(word) for word in sorted(words))


def address(page):
    """Where in the site a page is: deeper/masks.md#two-masks is deeper/masks/#two-masks."""
    path, mark, anchor = page.partition("#")
    path = re.sub(r"(?:(?<=/)|^)index$", "", path.rpartition(".")[0])
    return (f"{path}/" if path else "") + mark + anchor
