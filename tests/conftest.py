"""What several tests share: the whole site, built once and served as it is published, and a real browser."""

import os
import shutil
from pathlib import Path

import pages
import publish
import pytest

FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]
USUAL = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
]


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    """The folder that is served, and its address; the site goes there once it is built."""
    folder = tmp_path_factory.mktemp("site")
    with publish.serve(folder) as url:
        yield folder, url


@pytest.fixture(scope="session")
def built(address):
    """The strict build, as a process that has ended."""
    folder, url = address
    return publish.build(pages.ROOT, folder, SITE_URL=url)


@pytest.fixture(scope="session")
def site(built, address):
    """The folder of the whole built site; what the build merely warns of, test_site.py reports."""
    if not Path(address[0], "zh", "index.html").exists():
        pytest.fail(f"mkdocs build makes no site:\n{publish.complaints(built, 'ERROR')}", pytrace=False)
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


def watched(browser, server, faults, **options):
    """A context that notes what no page may do: an error in its console, a request to another server."""
    context = browser.new_context(**options)
    context.set_default_timeout(10_000)

    def watch(tab):
        tab.on("console", lambda message: message.type == "error" and faults.append(f"console: {message.text}"))
        tab.on("pageerror", lambda error: faults.append(f"script: {error}"))

    def guard(route):
        if route.request.url.startswith((server, "data:", "blob:")):
            return route.continue_()
        faults.append(f"a request leaves the site: {route.request.url}")
        return route.abort()

    context.on("page", watch)
    context.route("**/*", guard)
    return context


@pytest.fixture
def visit(browser, server):
    """Open a page of the site in a fresh browser: `visit("zh/formula/", locale="zh-CN")`."""
    contexts, faults = [], []

    def open_page(path="", **options):
        contexts.append(watched(browser, server, faults, **options))
        tab = contexts[-1].new_page()
        tab.goto(server + path)
        return tab

    yield open_page
    for context in contexts:
        context.close()
    assert not faults, "\n".join(faults)


@pytest.fixture(scope="session")
def tabs(browser):
    """The tabs of those who read one page after the other, by what they see with; and what went wrong in them."""
    opened, faults = {}, []
    yield opened, faults
    for tab in opened.values():
        tab.context.close()


@pytest.fixture
def turn_to(browser, server, tabs):
    """Open a page where the one before was read: far cheaper than a fresh browser, for what needs no fresh memory."""
    opened, faults = tabs
    faults.clear()

    def open_page(path, **options):
        seen_with = repr(sorted(options.items()))
        if seen_with not in opened:
            opened[seen_with] = watched(browser, server, faults, **options).new_page()
        opened[seen_with].goto(server + path)
        return opened[seen_with]

    yield open_page
    assert not faults, "\n".join(faults)
