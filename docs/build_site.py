"""Builds the documentation as a site into build/site: `python docs/build_site.py`, in an environment with the group `docs`.

Warnings are errors. The site needs no server and makes no request to another host; the script checks both.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

sys.path.insert(0, str(Path(__file__).parent))

import navigation

DOCS = Path(__file__).parent
ROOT = DOCS.parent
PAGES = ROOT / "build" / "site-pages"
"""The pages as Sphinx reads them: those of docs with the navigation, and those at the root of the project."""
SITE = ROOT / "build" / "site"
SOURCE = "source"
"""The folder of highlighted source files, which docs/site/source_pages.py writes; they load one style and link to the home alone."""
_REMOTE = re.compile(r"(?:url\(|@import|\bfetch\(|\bimport\()\s*[\"']?(?:https?:)?//[\w.-]+", re.IGNORECASE)
_LIGHT_PICTURE = re.compile(r"^!\[(?P<text>[^\]]+)\]\((?P<path>[^)]+)\.light\.svg\)$", re.MULTILINE)
_LOADING = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "object": "data"}
_REMOTE_TARGET = re.compile(r"(?:https?:)?//")


def write_pages() -> None:
    """Make the folder of pages anew."""
    shutil.rmtree(PAGES, ignore_errors=True)
    for file in sorted(DOCS.rglob("*")):
        if file.suffix in {".json", ".md", ".svg", ".png"}:
            _write(file.relative_to(DOCS), file.read_text() if file.suffix != ".png" else file.read_bytes())
    for page, name in navigation.ROOT_PAGES.items():
        _write(Path(name), (DOCS / page).read_text().replace("](docs/", "]("))
    index = (DOCS / "index.md").read_text()
    _write(Path("index.md"), index + "".join(_toctree(section) for section in navigation.sections(index)))


def _write(name: Path, content: str | bytes) -> None:
    file = PAGES / name
    file.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        file.write_bytes(content)
        return
    up = "../" * (len(name.parts) - 1)
    for page, place in navigation.ROOT_PAGES.items():
        content = content.replace(f"]({up}{page}", f"]({up}{place}")
    file.write_text(_LIGHT_PICTURE.sub(_both_pictures, content) if name.suffix == ".md" else content)


def _both_pictures(picture: re.Match[str]) -> str:
    """The picture for light pages and that for dark pages, of which the theme shows one. A code host shows the light one."""
    return "\n\n".join(
        f"```{{image}} {picture['path']}.{theme}.svg\n:alt: {picture['text']}\n:class: only-{theme}\n```"
        for theme in ("light", "dark")
    )


def _toctree(section: navigation.Section) -> str:
    names = [(label, navigation.ROOT_PAGES.get(page, page)) for label, page in section.pages]
    entries = "".join(f"{label} <{name.removesuffix('.md')}>\n" for label, name in names)
    return f"\n```{{toctree}}\n:hidden:\n:caption: {section.title}\n\n{entries}```\n"


def build() -> int:
    """Call Sphinx and return its exit code; a message names the file below docs."""
    shutil.rmtree(SITE, ignore_errors=True)
    words = [
        "-b",
        "html",
        "-q",
        "-W",
        "--keep-going",
        "-c",
        DOCS / "site",
        "-d",
        ROOT / "build" / "site-state",
        PAGES,
        SITE,
    ]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *map(str, words)], capture_output=True, text=True, check=False
    )
    print((done.stdout + done.stderr).replace(f"{PAGES}/", "docs/"), end="", file=sys.stderr)
    return done.returncode


class _Links(HTMLParser):
    """What a page loads, what it links to, and its anchors."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.ids.add(values.get("id") or "")
        loaded = values.get(_LOADING.get(tag, ""))
        if loaded and not loaded.startswith("data:"):
            self.loads.append(loaded)
        if tag == "a" and values.get("href"):
            self.links.append(values["href"] or "")


def problems() -> Iterator[str]:
    """Requests to other hosts, and links to files or anchors that the site does not have."""
    pages: dict[Path, _Links] = {}
    files = {file for file in SITE.rglob("*") if file.is_file()}
    for file in sorted(file for file in files if file.suffix == ".html" and SITE / SOURCE not in file.parents):
        pages[file] = _Links()
        pages[file].feed(file.read_text())
    for file, page in pages.items():
        name = file.relative_to(SITE)
        yield from (f"{name}: loads {target}" for target in page.loads if _REMOTE_TARGET.match(target))
        for target in sorted({*page.links, *page.loads}):
            yield from (f"{name}: {problem}" for problem in _broken(file, target, pages, files))
    for file in sorted(file for file in files if file.suffix in {".css", ".js", ".svg"}):
        yield from (
            f"{file.relative_to(SITE)}: loads {found}" for found in _REMOTE.findall(file.read_text(errors="replace"))
        )


def _broken(file: Path, target: str, pages: dict[Path, _Links], files: set[Path]) -> Iterator[str]:
    if re.match(r"[a-z]+:|//", target):
        return
    path, _, anchor = target.partition("#")
    found = Path(os.path.normpath(file.parent / unquote(path.partition("?")[0]))) if path else file
    if found not in files:
        yield f"the link {target} leads to no file"
    elif anchor and found in pages and unquote(anchor) not in pages[found].ids:
        yield f"the link {target} leads to no heading"


def main() -> int:
    """Build, check, and return the exit code."""
    start = time.monotonic()
    write_pages()
    if code := build():
        return code
    found = list(problems())
    for problem in found:
        print(problem, file=sys.stderr)
    count = len(list(SITE.rglob("*.html")))
    print(
        f"{count} pages of the site in {time.monotonic() - start:.0f} s, {len(found)} problems: {SITE / 'index.html'}"
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
