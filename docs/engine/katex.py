"""Formulas by KaTeX, while the site is built: a page needs its styles and fonts, and no script.

KaTeX is fetched once, from the npm registry or the mirror of it that the user has configured, and kept in .cache. Where
it can't be had the site is built all the same, its formulas as TeX, and a warning says what to do.
"""

import base64
import contextlib
import hashlib
import io
import logging
import os
import re
import shutil
import socket
import tarfile
import tempfile
import urllib.request
from functools import cache
from html import escape, unescape
from pathlib import Path

import dukpy
from dukpy.install import JSPackageInstallError, install_jspackage
from fontTools import subset

from engine.cache import ROOT, folder, kept

log = logging.getLogger("mkdocs.hooks.katex")
logging.getLogger("fontTools").setLevel(logging.ERROR)  # KaTeX's fonts tell no date, of which it warns
VERSION = "0.19.1"
SHA256 = "59edc6855e1ab06be8544707fcdb7b3645e9cf8f1e50368a19f8bf14756204dd"  # of what `used` lists
SECONDS = 20  # without an answer, after which the network is given up
OTHER_FONTS = re.compile(r',url\([^)]*\.(?:woff|ttf)\) format\("[a-z]+"\)')
USUAL = re.compile(r"url\(fonts/(KaTeX_(?:Main-Regular|Math-Italic|Size\d-Regular))\.woff2\) format\(\"woff2\"\)")
RESERVED = re.compile(r"KaTeX_(Main|Math|Size\d)(?![\w-])")  # names that, by their licence, no changed font may bear
NOTICE = (
    "/* Styles: KaTeX, MIT licence. Fonts: (c) 2009-2010 Design Science, Inc., (c) 2014-2018 Khan Academy, cut to the "
    "characters used here and renamed; SIL Open Font License 1.1, https://openfontlicense.org */\n"
)
Refused = dukpy.JSRuntimeError  # what KaTeX says of a formula that it can't set


def render(tex: str, display: bool) -> str:
    """The HTML and MathML of a formula; the formula as TeX where there is no KaTeX."""
    if library() is None:
        return escape(tex)
    return typeset(tex, display)


@cache
def typeset(tex, display):
    return (
        interpreter()
        .evaljs(
            "katex.renderToString(dukpy.tex, {displayMode: dukpy.display, throwOnError: true, strict: 'error'})",
            tex=tex,
            display=display,
        )
        .replace("\n", " ")
    )


@cache
def interpreter():
    javascript = dukpy.JSInterpreter()
    javascript.evaljs((library() / "katex.min.js").read_text("utf-8"))
    return javascript


def characters(html: str) -> str:
    """What of a formula's HTML is set in KaTeX's fonts."""
    return unescape(re.sub(r"<math.*?</math>|<[^>]*>", "", html))


@cache
def library() -> Path | None:
    """The folder that holds KaTeX, fetched now if need be; None, told once, where that fails."""
    place = folder("katex") / VERSION
    if place.exists() and digest(place) != SHA256:
        shutil.rmtree(place)  # half written, or changed: fetch it again
    try:
        if not place.exists():
            fetch(place)
    except (JSPackageInstallError, OSError, tarfile.TarError, ValueError) as error:
        log.warning(
            "formulas stay TeX: KaTeX %s could not be fetched (%s). Connect to the network, or name a mirror of the "
            "npm registry that you reach in the environment as npm_config_registry, and build again.",
            VERSION,
            error,
        )
        return None
    return place


def fetch(place: Path):
    with tempfile.TemporaryDirectory(dir=place.parent) as temporary, patience():
        found = unpacked(mirror(), Path(temporary)) if mirror() else installed(Path(temporary))
        if digest(found) != SHA256:
            raise ValueError(f"what came has SHA-256 {digest(found)}, not {SHA256}")
        with contextlib.suppress(OSError):  # another build was faster
            found.rename(place)


def mirror() -> str:
    """The npm registry that the user has chosen, in the environment or in an .npmrc."""
    chosen = next((value for name, value in os.environ.items() if name.lower() == "npm_config_registry"), "")
    for settings in ROOT / ".npmrc", Path.home() / ".npmrc":
        if not chosen and settings.is_file():
            lines = re.findall(r"^\s*registry\s*=\s*(\S+)", settings.read_text("utf-8"), re.M)
            chosen = lines[-1] if lines else ""
    return chosen.rstrip("/")


def unpacked(registry, temporary):
    with urllib.request.urlopen(f"{registry}/katex/-/katex-{VERSION}.tgz", timeout=SECONDS) as answer:
        archive = io.BytesIO(answer.read())
    with tarfile.open(fileobj=archive, mode="r:gz") as files:
        files.extractall(temporary, filter="data")
    return temporary / "package" / "dist"


def installed(temporary):
    with contextlib.redirect_stdout(io.StringIO()):  # it prints a dot for each kilobyte
        install_jspackage("katex", VERSION, str(temporary))
    return temporary / "katex" / "dist"


@contextlib.contextmanager
def patience():
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(SECONDS)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)


def digest(place: Path) -> str:
    found = hashlib.sha256()
    for path in used(place):
        found.update(path.read_bytes() if path.is_file() else b"")
    return found.hexdigest()


def used(place):
    fonts = [path for ending in ("woff2", "ttf") for path in sorted((place / "fonts").glob(f"*.{ending}"))]
    return [place / "katex.min.js", place / "katex.min.css", *fonts]


def write_styles(site: Path, characters: set[str]):
    """KaTeX's styles, with the usual fonts inside, cut to the characters that formulas use.

    They come with the page, so no text jumps when a font arrives; the other fonts are files, for pages that need one.
    """
    target = site / "assets" / "katex"
    (target / "fonts").mkdir(parents=True, exist_ok=True)
    css = OTHER_FONTS.sub("", (library() / "katex.min.css").read_text("utf-8"))
    css = RESERVED.sub(r"Formulas_\1", css)
    letters = "".join(sorted(characters))
    css = USUAL.sub(lambda match: f'url(data:font/woff;base64,{cut(match[1], letters)}) format("woff")', css)
    (target / "katex.min.css").write_text(NOTICE + css, "utf-8")
    for name in re.findall(r"url\(fonts/([^)]+)\)", css):
        shutil.copy(library() / "fonts" / name, target / "fonts")


def cut(name: str, letters: str) -> str:
    """A font with these letters alone, in base64."""
    return kept("fonts", VERSION, name, letters, make=lambda: subsetted(name, letters))


def subsetted(name, letters):
    options = subset.Options(flavor="woff", hinting=False, layout_features=["kern"], notdef_outline=False)
    options.name_IDs = []  # NOTICE says whose it is, and under which licence
    font = subset.load_font(str(library() / "fonts" / f"{name}.ttf"), options)
    font.recalcTimestamp = False  # the same bytes tomorrow
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=map(ord, letters))
    subsetter.subset(font)
    woff = io.BytesIO()
    subset.save_font(font, woff, options)
    return base64.b64encode(woff.getvalue()).decode()
