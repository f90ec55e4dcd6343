"""What several tests share: the whole site, built once and served as it is published, and a real browser."""

import functools
import http.server
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from pages import ROOT

PREFIX = "/attn/"  # below a folder of its host, as on GitHub Pages
FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]
USUAL = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
]


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serve the site below PREFIX; for what is missing, the 404 page of the root, as most hosts do."""

    def translate_path(self, path):
        below = path.removeprefix(PREFIX)
        return super().translate_path(f"/{below}" if below != path else "/no such file")

    def send_error(self, code, message=None, explain=None):
        page = Path(self.directory, "404.html")
        if code != 404 or not page.exists():
            return super().send_error(code, message, explain)
        body = page.read_bytes()
        self.send_response(404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    """The folder that is served, and its address; the site goes there once it is built."""
    folder = tmp_path_factory.mktemp("site")
    handler = functools.partial(Handler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield folder, f"http://127.0.0.1:{server.server_port}{PREFIX}"
        server.shutdown()


@pytest.fixture(scope="session")
def built(address):
    """The strict build, as a process that has ended."""
    folder, url = address
    return build(ROOT, folder, SITE_URL=url)


def build(root, folder, **environment):
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=root,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"} | environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


def complaints(process) -> str:
    """What a build warns of: the lines that a contributor must act on."""
    lines = (process.stdout + process.stderr).splitlines()
    told = [text for text in lines if text.startswith(("WARNING", "ERROR"))]
    return "\n".join(told or lines[-20:])


@pytest.fixture(scope="session")
def site(built, address):
    """The folder of the whole built site; what the build merely warns of, test_site.py reports."""
    if not Path(address[0], "zh", "index.html").exists():
        pytest.fail(f"mkdocs build makes no site:\n{complaints(built)}", pytrace=False)
    return address[0]


@pytest.fixture(scope="session")
def server(site, address):
    """The address of the whole built site."""
    return address[1]


@pytest.fixture(scope="session")
def browser():
    executable = chromium()
    if executable is None:
        reason = "no Chromium or Chrome was found: install one, or name it in the environment as CHROMIUM"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        yield browser
        browser.close()


def chromium() -> str | None:
    """The browser that is there: named by CHROMIUM, on the path, or where it usually is."""
    if named := os.environ.get("CHROMIUM"):
        return named
    return next(filter(None, map(shutil.which, NAMES)), None) or next(filter(os.path.exists, USUAL), None)


@pytest.fixture
def visit(browser, server):
    """Open a page of the site in a fresh browser: `visit("zh/formula/", locale="zh-CN")`.

    What the page must not do, an error in its console or a request to another server, fails the test.
    """
    contexts, faults = [], []

    def watch(tab):
        tab.on("console", lambda message: message.type == "error" and faults.append(f"console: {message.text}"))
        tab.on("pageerror", lambda error: faults.append(f"script: {error}"))

    def guard(route):
        if route.request.url.startswith((server, "data:", "blob:")):
            return route.continue_()
        faults.append(f"a request leaves the site: {route.request.url}")
        return route.abort()

    def open_page(path="", **options):
        context = browser.new_context(**options)
        context.set_default_timeout(10_000)
        context.on("page", watch)
        context.route("**/*", guard)
        contexts.append(context)
        tab = context.new_page()
        tab.goto(server + path)
        return tab

    yield open_page
    for context in contexts:
        context.close()
    assert not faults, "\n".join(faults)
