"""MkDocs's events, from top to bottom in the order in which they come: the way of a page through the house.

All work is done elsewhere; what comes first and what later is said here.
"""

import functools
import logging
import re
import sys
from base64 import b64decode, b64encode
from html import escape, unescape
from importlib.metadata import distribution, version
from pathlib import Path

from jinja2 import FileSystemBytecodeCache
from mkdocs.structure.files import File

sys.path.insert(0, str(Path(__file__).parents[1]))  # until MkDocs has read this file
from engine import cache, katex, languages, notebooks, search, styles, wheel
from engine.extension import Site, Where
from engine.fences import blocks
from engine.numbers import count
from engine.page import Page, as_markdown

DOCS = str(Path(__file__).parents[1])
HERE = "http://127.0.0.1:8000/"
log = logging.getLogger("mkdocs.hooks")
serving = False


def on_startup(command, dirty):
    global serving
    serving = command == "serve"
    if serving:
        languages.keep_builds()


def on_config(config):
    if DOCS not in sys.path:
        sys.path.append(DOCS)  # which holds the packages `engine` and `figures`
    config.site_url = config.site_url or HERE  # SITE_URL may be there and empty
    if config.site_url == HERE and not serving and languages.is_home(config):
        level = logging.INFO if config.strict else logging.WARNING  # a check of the pages may do without
        log.log(level, "SITE_URL is not set: links to the wheel and shared links lead to %s; set it to publish", HERE)
    config.markdown_extensions.append(Site())


def on_pre_build(config):
    cache.refresh()


def on_files(files, config):
    import figures.logo

    made = {"assets/drawn/logo.svg": figures.logo.draw(), "assets/licences/mkdocs-material.txt": licence()}
    made |= shared(config)
    for address, content in made.items():
        files.append(File.generated(config, address, content=content))
    if languages.is_home(config):
        file = wheel.build()
        files.append(File.generated(config, file.name, abs_src_path=str(file)))
    else:
        search.replace_worker(files, config)
        address, content = machine(languages.name(config))
        files.append(File.generated(config, address, content=content))


def on_env(env, config, files):
    env.bytecode_cache = FileSystemBytecodeCache(str(cache.folder("templates")))


def on_pre_page(page, config, files):
    if notebooks.is_notebook(page):
        notebooks.show_as_page(page, execute=not serving)


def on_page_markdown(markdown, page, config, files):
    site(config).where = where(page, config)
    return as_markdown(markdown) if notebooks.is_notebook(page) else markdown


def on_page_content(html, page, config, files):
    if not languages.is_home(config):
        search.leave_to_us(page, config)
    if notebooks.is_notebook(page):
        first = re.search(r"<p>(.*?)</p>", html, re.S)  # the question with which every page begins
        words = unescape(re.sub(r"<[^>]*>", "", first[1])) if first else config.site_description
        page.meta.setdefault("description", escape(words))  # the theme writes it into an attribute as it is


def on_page_context(context, page, config, nav):
    languages.share_choices(context, config)
    if not languages.is_home(config):
        page.ran = sentence(where(page, config).page, config.extra)
        search.index(page, nav, config)
    if notebooks.is_notebook(page):
        page.download = notebooks.name(page)


def on_template_context(context, template_name, config):
    languages.share_choices(context, config)


def on_post_page(output, page, config):
    if notebooks.is_notebook(page):
        notebooks.write_download(page, where(page, config))


def on_post_build(config):
    target = Path(config.site_dir)
    if site(config).characters and katex.library():
        katex.write_styles(target, site(config).characters)
    if not languages.is_home(config):
        search.write(target, config.docs_dir)
    if not serving:
        styles.trim(target)
    if languages.is_home(config):
        languages.build_all(config)


def shared(config) -> dict[str, bytes]:
    """What shows where a link to the site is shared: in a chat, on a phone's home screen."""
    words = config.extra.get("card")
    picture = card(config.site_name, words["promise"], *words["sentence"]) if words else None
    if words and not picture:
        log.info("shared links show no picture: no font of figures/card.py with the letters of %s is here", words)
    config.extra["card_drawn"] = picture is not None
    return {"assets/drawn/icon.png": icon()} | ({"assets/drawn/card.png": picture} if picture else {})


def machine(language: str) -> tuple[str, bytes]:
    """The numbers of the model that pages let readers play with, and their address."""
    import figures.live

    kept = cache.kept("figures", "live", language, make=lambda: b64encode(figures.live.numbers(language)).decode())
    content = b64decode(kept)
    return f"assets/drawn/{figures.live.name(content)}", content


@cache.until_code_changes
def icon() -> bytes:
    import figures.card

    return figures.card.icon()


@cache.until_code_changes
def card(name: str, promise: str, *sentence: str) -> bytes | None:
    import figures.card

    return figures.card.draw(name, promise, sentence)


def site(config) -> Site:
    return next(each for each in config.markdown_extensions if isinstance(each, Site))


def where(page, config) -> Where:
    language = languages.name(config)
    root = config.site_url.removesuffix(f"{language}/")
    return Where(Path(page.file.abs_src_path), page.file.src_uri, language, wheel=root + wheel.name())


@functools.cache
def licence() -> str:
    """Of the theme, which asks to be shipped with it; references.md names all that the site contains."""
    files = distribution("mkdocs-material").files
    return next(path for path in files if path.name == "LICENSE").read_text(encoding="utf-8")


def sentence(page: Page, words) -> str:
    """What was run on a page, and what is cited; the template writes it at the foot."""
    try:
        ran = len(blocks(page))
    except LookupError:  # a name that attn does not have, told when it was rendered
        return ""
    computed, cited = count(page)
    torch = re.match(r"\d+\.\d+", version("torch"))[0]
    told = words["ran" if computed else "ran_code"].format(blocks=ran, numbers=computed, torch=torch) if ran else ""
    return escape(told + words["cited"].format(cited=cited) if told and cited else told)
