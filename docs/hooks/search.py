"""Find what a reader types: words cut as the terms are, and a term's teaching page first."""

import re
import sys
from pathlib import Path

import jieba
from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File

sys.path.insert(0, str(Path(__file__).parents[1]))
from promise.terms import has_han, load

WORKER = re.compile(r"assets/javascripts/workers/search\.\w+\.min\.js")
MENDED = {
    # Material cuts what is typed into words it knows, and never looks at the last character: 注意力权重 finds 注意力.
    "for(let o=s+1;o<t.length;o++)t.slice(s,o)in e": "for(let o=s+1;o<=t.length;o++)t.slice(s,o)in e",
    # It also glues the words to Latin letters beside them: KV缓存 is typed without a space.
    's=>[...fe(s,this.index.invertedIndex)].join("* ")': 's=>` ${[...fe(s,this.index.invertedIndex)].join(" ")} `',
}


@event_priority(100)  # before the search cuts its first word
def on_config(config):
    """Teach jieba the terms that it would cut into pieces of one character: 键值|对 is one word, 因果|掩码 is two."""
    jieba.setLogLevel("WARNING")
    for word in sorted({form for term in load() for form in term.forms("zh")}, key=len):
        if has_han(word) and "的" not in word and any(len(piece) == 1 for piece in jieba.cut(word)):
            jieba.add_word(word)


def on_files(files, config):
    """Serve Material's search with two faults mended."""
    file = next(file for file in files if WORKER.fullmatch(file.src_uri))
    script = Path(file.abs_src_path).read_text("utf-8")
    for fault, mended in MENDED.items():
        if script.count(fault) != 1:
            raise PluginError(f"{file.src_uri} is not the search that was mended: look whether it still needs {mended}")
        script = script.replace(fault, mended)
    files.remove(file)
    files.append(File.generated(config, file.src_uri, content=script))


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
