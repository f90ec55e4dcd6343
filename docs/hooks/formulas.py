"""Render every formula with KaTeX while building: pages need KaTeX's styles and fonts, and no script."""

import base64
import contextlib
import hashlib
import io
import logging
import re
import shutil
import tempfile
from functools import cache
from html import unescape
from pathlib import Path

import dukpy
from dukpy.install import JSPackageInstallError, install_jspackage
from fontTools import subset
from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority

log = logging.getLogger("mkdocs.hooks.formulas")
logging.getLogger("fontTools").setLevel(logging.ERROR)  # KaTeX's fonts tell no date, of which it warns
VERSION = "0.19.1"
SHA256 = "59edc6855e1ab06be8544707fcdb7b3645e9cf8f1e50368a19f8bf14756204dd"  # of what `used` lists
ARITHMATEX = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>([，。；：、？！）」]?)', re.S)
OTHER_FONTS = re.compile(r',url\([^)]*\.(?:woff|ttf)\) format\("[a-z]+"\)')
USUAL = re.compile(r"url\(fonts/(KaTeX_(?:Main-Regular|Math-Italic|Size\d-Regular))\.woff2\) format\(\"woff2\"\)")
RESERVED = re.compile(r"KaTeX_(Main|Math|Size\d)(?![\w-])")  # names that, by their licence, no changed font may bear
NOTICE = (
    "/* Styles: KaTeX, MIT licence. Fonts: (c) 2009-2010 Design Science, Inc., (c) 2014-2018 Khan Academy, cut to the "
    "characters used here and renamed; SIL Open Font License 1.1, https://openfontlicense.org */\n"
)

katex = None  # the folder that holds KaTeX, once found
written = {}  # the characters of each language's formulas


def on_config(config):
    global katex
    katex = katex or fetch(Path(config.config_file_path).parent / ".cache" / f"katex-{VERSION}")
    written[config.docs_dir] = set()


def fetch(folder):
    """Download KaTeX once into `folder`; refuse it if it isn't the KaTeX that was tried."""
    if not folder.exists():
        folder.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
            try:
                with contextlib.redirect_stdout(io.StringIO()):  # it prints a dot for each kilobyte
                    install_jspackage("katex", VERSION, temporary)
            except (JSPackageInstallError, OSError) as error:
                raise PluginError(
                    f"formulas need KaTeX {VERSION}, fetched once into {folder}, which failed ({error}). "
                    "Connect to the network and build again."
                ) from error
            with contextlib.suppress(OSError):  # another build was faster
                Path(temporary, "katex", "dist").rename(folder)
    digest = hashlib.sha256()
    for path in used(folder):
        digest.update(path.read_bytes())
    if digest.hexdigest() != SHA256:
        raise PluginError(
            f"{folder} should hold KaTeX {VERSION} with SHA-256 {SHA256}, not {digest.hexdigest()}. "
            "Delete the folder and build again."
        )
    return folder


def used(folder):
    fonts = [path for ending in ("woff2", "ttf") for path in sorted((folder / "fonts").glob(f"*.{ending}"))]
    return [folder / "katex.min.js", folder / "katex.min.css", *fonts]


def on_post_build(config):
    """Write KaTeX's styles, with the usual fonts inside, cut to the characters that formulas use.

    They come with the page, so no text jumps when a font arrives; the other fonts are files, for pages that need one.
    """
    if not written[config.docs_dir]:
        return
    folder = Path(config.site_dir, "assets", "katex")
    (folder / "fonts").mkdir(parents=True, exist_ok=True)
    css = OTHER_FONTS.sub("", (katex / "katex.min.css").read_text("utf-8"))
    css = RESERVED.sub(r"Formulas_\1", css)
    css = USUAL.sub(
        lambda match: f'url(data:font/woff;base64,{cut(match[1], written[config.docs_dir])}) format("woff")', css
    )
    (folder / "katex.min.css").write_text(NOTICE + css, "utf-8")
    for name in re.findall(r"url\(fonts/([^)]+)\)", css):
        shutil.copy(katex / "fonts" / name, folder / "fonts")


def cut(name, characters):
    options = subset.Options(flavor="woff", hinting=False, layout_features=["kern"], notdef_outline=False)
    options.name_IDs = []  # NOTICE says whose it is, and under which licence
    font = subset.load_font(str(katex / "fonts" / f"{name}.ttf"), options)
    font.recalcTimestamp = False  # the same bytes tomorrow
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=map(ord, characters))
    subsetter.subset(font)
    woff = io.BytesIO()
    subset.save_font(font, woff, options)
    return base64.b64encode(woff.getvalue()).decode()


@event_priority(-50)  # when the page's HTML is whole
def on_page_content(html, page, config, files):
    def replace(match):
        tex, display = unescape(match[3]).strip(), match[2] == "["
        try:
            rendered = render(tex, display)
        except dukpy.JSRuntimeError as error:
            log.warning("%s:%d: %s", page.file.src_uri, line(page.file.abs_src_path, tex), str(error).splitlines()[0])
            return match[0]
        written[config.docs_dir].update(unescape(re.sub(r"<math.*?</math>|<[^>]*>", "", rendered)))
        tag = "tex-display" if display else "tex-inline"  # the search leaves out elements by the name of their tag
        focus = ' tabindex="0" role="group"' if display else ""  # a wide formula scrolls, with the keyboard too
        return together(f"<{tag} data-search-exclude{focus}>{rendered}</{tag}>", tex, match[4])

    return ARITHMATEX.sub(replace, html)


def together(formula, tex, mark):
    """No line begins with the punctuation behind a formula (a long formula has to break somewhere else itself)."""
    return f'<span class="together">{formula}{mark}</span>' if mark and len(tex) < 30 else formula + mark


@cache
def engine():
    interpreter = dukpy.JSInterpreter()
    interpreter.evaljs((katex / "katex.min.js").read_text("utf-8"))
    return interpreter


@cache
def render(tex, display):
    return (
        engine()
        .evaljs(
            "katex.renderToString(dukpy.tex, {displayMode: dukpy.display, throwOnError: true, strict: 'error'})",
            tex=tex,
            display=display,
        )
        .replace("\n", " ")
    )


def line(path, tex):
    """The line of a formula's beginning in its source."""
    return Path(path).read_text("utf-8").partition(tex.splitlines()[0])[0].count("\n") + 1
