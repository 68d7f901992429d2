"""The answers of a server as they were once, so that a view shows the same at any time: recorded from a standalone, given to the page in its place."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, Response, Route

FILE = Path(__file__).parent / "pictures" / "answers.json.gz"
_API = re.compile(r"//[^/]+/(api|auth)/")
_STREAM = """
window.EventSource = class extends EventTarget {
    constructor() {
        super();
        setTimeout(() => this.dispatchEvent(new MessageEvent("ready")), 0);
        this.timer = setInterval(() => this.dispatchEvent(new MessageEvent("heartbeat")), 1000);
    }
    close() { clearInterval(this.timer); }
};
"""
"""A stream that lives and says nothing."""


class Answers:
    """The answers by language and address, the instant at which they were given, and the day before it."""

    def __init__(self, at: str, yesterday: str, bodies: dict[str, Any] | None = None) -> None:
        self.at = at
        self.yesterday = yesterday
        self.bodies: dict[str, Any] = bodies or {}

    @classmethod
    def read(cls) -> Answers:
        """Those of the file."""
        return cls(**json.loads(gzip.decompress(FILE.read_bytes())))

    def write(self) -> None:
        """Make them those of the file."""
        text = json.dumps({"at": self.at, "yesterday": self.yesterday, "bodies": self.bodies}, sort_keys=True)
        FILE.write_bytes(gzip.compress(text.encode(), mtime=0))

    def record(self, page: Page, language: str) -> None:
        """Keep what the server answers to this page from now on: a view that is opened sends a POST only for a preview."""
        page.add_init_script(_STREAM)

        def keep(answer: Response) -> None:
            if answer.request.method in ("GET", "POST") and _API.search(answer.url) and "/events" not in answer.url:
                self.bodies[_name(language, answer.url)] = [answer.status, answer.text()]

        page.on("response", keep)

    def replay(self, page: Page, language: str) -> list[str]:
        """Give the page these answers. The list that is returned gets the addresses for which there is none."""
        page.add_init_script(_STREAM)
        missing: list[str] = []

        def give(route: Route) -> None:
            kept = self.bodies.get(_name(language, route.request.url))
            if kept is None:
                if "/events" not in route.request.url:  # the stream of the page that was open before
                    missing.append(route.request.url)
                route.abort()
            else:
                route.fulfill(status=kept[0], body=kept[1], content_type="application/json")

        page.route(_API, give)
        return missing


def _name(language: str, url: str) -> str:
    return f"{language} {re.sub(r'^https?://[^/]+', '', url)}"
