"""Checks the documentation: links lead somewhere, Python blocks run, generated pages are up to date. Exit code 1 says which not."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).parent
ROOT = DOCS.parent
BLOCK_TIMEOUT_S = 60
_LINK = re.compile(r"(?<!!)\[[^\]\n]+\]\(([^)\s]+)\)")
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_PATH = re.compile(r"`((?:src|docs|tests|bench)/[\w./-]+)`")


class Problem(NamedTuple):
    """What is wrong, and where."""

    file: Path
    text: str

    def __str__(self) -> str:
        return f"{os.path.relpath(self.file, ROOT)}: {self.text}"


def pages() -> list[Path]:
    """Every page of the documentation, and those at the root of the project."""
    return sorted([*DOCS.rglob("*.md"), *ROOT.glob("*.md")])


def broken_links(page: Path) -> Iterator[Problem]:
    """Links to files or headings that are not there, and paths of the source tree that are not."""
    text = page.read_text()
    for target in _LINK.findall(_without_blocks(text)):
        if "://" in target or target.startswith("mailto:"):
            continue
        name, _, heading = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        if not file.exists():
            yield Problem(page, f"the link {target} leads nowhere")
        elif heading and heading not in _anchors(file.read_text()):
            yield Problem(page, f"the link {target} names a heading that is not there")
    for path in _PATH.findall(text):
        if not (ROOT / path).exists():
            yield Problem(page, f"there is no {path}")


def broken_code(page: Path) -> Iterator[Problem]:
    """Python blocks that do not run as a DAG file of their own would."""
    for language, code in _BLOCK.findall(page.read_text()):
        if language != "python":
            continue
        try:
            ast.parse(code)
        except SyntaxError as error:
            yield Problem(page, f"a Python block does not compile: {error}")
            continue
        failure = _run(code)
        if failure:
            yield Problem(page, f"a Python block fails: {failure}")


def _run(code: str) -> str:
    """What went wrong when the block was loaded as a DAG file; empty when nothing did."""
    program = "import sys, pathlib; from gnomon.loading.dagfile import load; load(sys.argv[1])"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "block.py"
        file.write_text(code)
        done = subprocess.run(
            [sys.executable, "-c", program, str(file)], capture_output=True, text=True, check=False, timeout=BLOCK_TIMEOUT_S,
            env={**os.environ, "GNOMON_HOME": folder},
        )
    lines = done.stderr.strip().splitlines()
    return (lines[-1] if lines else f"exit code {done.returncode}") if done.returncode else ""


def stale_pages() -> Iterator[Problem]:
    """Generated pages that differ from what would be generated now."""
    for name, page in _generated().items():
        file = DOCS / name
        if not file.exists() or file.read_text() != page():
            yield Problem(file, "out of date; run `python docs/generate.py`")


def _generated() -> dict[str, Callable[[], str]]:
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: dict[str, Callable[[], str]] = module.PAGES
    return found


def problems() -> list[Problem]:
    """All that is wrong."""
    found = list(stale_pages())
    for page in pages():
        found += broken_links(page)
        found += broken_code(page)
    return found


def _without_blocks(text: str) -> str:
    return _BLOCK.sub("", text)


def _anchors(text: str) -> set[str]:
    return {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in _HEADING.findall(text)}


def main() -> int:
    """Prints what is wrong; returns the exit code."""
    found = problems()
    for problem in found:
        print(problem, file=sys.stderr)
    print(f"{len(pages())} pages, {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
