"""Build the site and serve it as it is published: below a folder of its host, as on GitHub Pages."""

import functools
import http.server
import os
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

PREFIX = "/attn/"


def build(root, folder, **environment):
    """A strict build of the project in `root`, as a process that has ended."""
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=root,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1", "PYTHONUTF8": "1"} | environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


def complaints(process, levels=("WARNING", "ERROR")) -> str:
    """What a build says that a contributor must act on, with the lines that go on from it."""
    lines, told, telling = (process.stdout + process.stderr).splitlines(), [], False
    for line in lines:
        if line.startswith(("DEBUG", "INFO", "WARNING", "ERROR")):
            telling = line.startswith(levels)
        if telling and line.strip():
            told.append(line)
    return "\n".join(told or lines[-20:])


class Handler(http.server.SimpleHTTPRequestHandler):
    """For what is missing, the 404 page of the root, as most hosts do."""

    protocol_version = "HTTP/1.1"  # a connection serves many requests
    disable_nagle_algorithm = True

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


class Server(http.server.ThreadingHTTPServer):
    """A browser that leaves a page while it comes is no error."""

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def serve(folder, handler=Handler):
    """Serve a folder while the block runs; yields its address."""
    handler = functools.partial(handler, directory=str(folder))
    with Server(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}{PREFIX}"
        server.shutdown()
