"""Render every formula with KaTeX while building: pages need KaTeX's styles and fonts, and no script."""

import contextlib
import hashlib
import io
import logging
import re
import tempfile
from functools import cache
from html import unescape
from pathlib import Path

import dukpy
from dukpy.install import JSPackageInstallError, install_jspackage
from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File

log = logging.getLogger("mkdocs.hooks.formulas")
VERSION = "0.19.1"
SHA256 = "d2d0f57fd4d001a72e99cd3124bbf993c64e3f4f4a76532a391fe819f6338004"  # of what `used` lists
ARITHMATEX = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>([，。；：、？！）」]?)', re.S)
OTHER_FONTS = re.compile(r',url\([^)]*\.(?:woff|ttf)\) format\("[a-z]+"\)')

katex = None  # the folder that holds KaTeX, once found


def on_config(config):
    global katex
    katex = katex or fetch(Path(config.config_file_path).parent / ".cache" / f"katex-{VERSION}")


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
    return [folder / "katex.min.js", folder / "katex.min.css", *sorted((folder / "fonts").glob("*.woff2"))]


def on_files(files, config):
    _, styles, *fonts = used(katex)
    css = OTHER_FONTS.sub("", styles.read_text("utf-8"))
    files.append(File.generated(config, "assets/katex/katex.min.css", content=css))
    for font in fonts:
        files.append(File.generated(config, f"assets/katex/fonts/{font.name}", abs_src_path=str(font)))


@event_priority(-50)  # when the page's HTML is whole
def on_page_content(html, page, config, files):
    def replace(match):
        tex, display = unescape(match[3]).strip(), match[2] == "["
        try:
            rendered = render(tex, display)
        except dukpy.JSRuntimeError as error:
            log.warning("%s:%d: %s", page.file.src_uri, line(page.file.abs_src_path, tex), str(error).splitlines()[0])
            return match[0]
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
