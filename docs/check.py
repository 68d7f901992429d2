"""Checks the documentation: targets of links exist, blocks of code run, commands exist, generated pages are up to date, each page has its place.

Prints each problem to standard error and exits with 1 if there is one. With paths of pages as arguments, only those are checked, and the navigation.
"""

from __future__ import annotations

import configparser
import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import click
import yaml
from kubernetes.client import models

sys.path.insert(0, str(Path(__file__).parent))

import page_files
from page_files import Files

from gnomon.authoring.sdk.schedules.named_calendars import NamedCalendars
from gnomon.entry.cli.commands import root
from gnomon.ground.config import load_config
from gnomon.model.errors.product import GnomonError

DOCS = Path(__file__).parent
ROOT = DOCS.parent
BLOCK_TIMEOUT_S = 60
CONFIG = "gnomon.toml"
_LINK = re.compile(r"\[[^\]\n]+\]\(([^)\s]+)\)")
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"`gnomon ((?:[a-z-]+ ?)+)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_PATH = re.compile(r"`((?:src|docs|tests|bench)/[\w./-]+)`")


class Problem(NamedTuple):
    """One mistake in a page."""

    file: Path
    text: str

    def __str__(self) -> str:
        return f"{os.path.relpath(self.file, ROOT)}: {self.text}"


def pages() -> list[Path]:
    """Every page of the documentation, the pages at the root of the project, and the results of measurements."""
    return sorted([*DOCS.rglob("*.md"), *ROOT.glob("*.md"), *(ROOT / "bench").rglob("*.md")])


def broken_links(page: Path) -> Iterator[Problem]:
    """Links to files or headings that do not exist, and paths of the source tree that do not exist."""
    text = page.read_text()
    for target in _LINK.findall(_without_blocks(text)):
        if "://" in target or target.startswith("mailto:"):
            continue
        name, _, heading = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        if not file.exists():
            yield Problem(page, f"the link {target} names a file that does not exist")
        elif heading and heading not in _anchors(file.read_text()):
            yield Problem(page, f"the link {target} names a heading that does not exist")
    for path in _PATH.findall(text):
        if not (ROOT / path).exists():
            yield Problem(page, f"the path {path} does not exist")


def broken_code(page: Path) -> Iterator[Problem]:
    """Blocks of code that fail the check of their language, blocks in a language without a check, and unknown commands."""
    text = page.read_text()
    files: Files = {}
    for language, code in _BLOCK.findall(text):
        try:
            page_files.save(code, files)
        except page_files.NoSuchPart as error:
            yield Problem(page, str(error))
            continue
        check = _CHECKS.get(language)
        if check is None:
            yield Problem(page, f"there is no check for a block of {language}")
            continue
        for failure in check(code, files):
            yield Problem(page, f"a block of {language} fails: {failure}")
    for words in _COMMAND.findall(_without_blocks(text)):
        yield from (Problem(page, failure) for failure in _command(words.split(), whole=False))


def files_of(page: Path) -> dict[str, str]:
    """The files that a page tells its reader to save, in their last form, by their path below the home."""
    files: Files = {}
    for _, code in _BLOCK.findall(page.read_text()):
        page_files.save(code, files)
    return files


def _python(code: str, files: Files) -> Iterator[str]:
    """Yield the error if the block cannot be loaded as a DAG file, beside the files of the page."""
    failure = _run(code, files)
    if failure:
        yield failure


def _shell(code: str, _: Files) -> Iterator[str]:
    """Yield the errors of a shell block: its syntax, its `gnomon` commands, its `make` targets."""
    parsed = subprocess.run(["bash", "-n"], input=code, capture_output=True, text=True, check=False)
    if parsed.returncode:
        yield parsed.stderr.strip()
        return
    for line in code.splitlines():
        words = shlex.split(line, comments=True)
        while words and "=" in words[0]:
            words.pop(0)
        if words and Path(words[0]).name == "gnomon":
            yield from _command(words[1:], whole=True)
        elif words[:1] == ["make"]:
            targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
            yield from (f"make has no target {word}" for word in words[1:] if "=" not in word and word not in targets)


def _command(words: list[str], *, whole: bool) -> Iterator[str]:
    """Yield an error if the command does not exist, or if `whole` and it does not take these arguments."""
    command: click.Command = root
    rest = list(words)
    if rest == ["--version"]:
        return
    while isinstance(command, click.Group) and rest:
        found = command.get_command(click.Context(command), rest[0])
        if found is None and (default := getattr(command, "default", None)):
            rest.insert(0, default)
            continue
        if found is None:
            yield f"there is no command `gnomon {' '.join(words)}`"
            return
        command = found
        rest.pop(0)
    if not whole:
        return
    try:
        command.make_context(command.name, rest)
    except click.UsageError as error:
        if not isinstance(error, click.BadParameter) or not isinstance(
            getattr(error.param, "type", None), click.Path
        ):  # a file of the reader
            yield f"`gnomon {' '.join(words)}`: {error.format_message()}"


def _options(code: str, files: Files) -> Iterator[str]:
    """Yield the error if Gnomon refuses the block as its `gnomon.toml`, or if another file is not TOML."""
    if page_files.name_of(code) not in {None, CONFIG}:
        try:
            tomllib.loads(code)
        except tomllib.TOMLDecodeError as error:
            yield str(error)
        return
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {**files, CONFIG: code}.items():
            (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
            (Path(folder) / name).write_text(text)
        try:
            load_config({}, Path(folder))
            named = NamedCalendars(Path(folder))
            for name in named.names:
                named.find(name)
        except GnomonError as error:
            yield str(error)


def _unit(code: str, _: Files) -> Iterator[str]:
    """Yield the error if the block does not consist of sections and values, as systemd reads them."""
    try:
        configparser.RawConfigParser(strict=False).read_string(code)
    except configparser.Error as error:
        yield str(error)


def _yaml(code: str, _: Files) -> Iterator[str]:
    """A manifest: YAML, with the fields that the official client of Kubernetes knows."""
    try:
        for one in yaml.safe_load_all(code):
            getattr(models, f"V1{one['kind']}").model_validate(one)
    except (yaml.YAMLError, ValueError, KeyError, TypeError, AttributeError) as error:
        yield f"a block of YAML is no valid manifest: {error}"


def _json(code: str, _: Files) -> Iterator[str]:
    """A body of the API: JSON."""
    try:
        json.loads(code)
    except ValueError as error:
        yield f"a block of JSON cannot be read: {error}"


def _output(_: str, __: Files) -> Iterator[str]:
    """No check: output of commands is on generated pages, which are compared as a whole."""
    yield from ()


_CHECKS: dict[str, Callable[[str, Files], Iterator[str]]] = {
    "python": _python,
    "sh": _shell,
    "toml": _options,
    "ini": _unit,
    "yaml": _yaml,
    "json": _json,
    "text": _output,
}


def _run(code: str, files: Files) -> str:
    """The last line of the error when the block is loaded as a DAG file; empty without an error."""
    program = (
        "import sys, pathlib; from gnomon.author_code.loading.dagfile import load_dag_file as load; load(sys.argv[1])"
    )
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for name, text in {"block.py": code, **files}.items():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_text(text)
        path = os.pathsep.join(filter(None, [str(home / "package"), os.environ.get("PYTHONPATH")]))
        done = subprocess.run(
            [sys.executable, "-c", program, str(home / (page_files.name_of(code) or "block.py"))],
            capture_output=True,
            text=True,
            check=False,
            timeout=BLOCK_TIMEOUT_S,
            env={**os.environ, "GNOMON_HOME": folder, "PYTHONPATH": path},
        )
    lines = done.stderr.strip().splitlines()
    return (lines[-1] if lines else f"exit code {done.returncode}") if done.returncode else ""


def misplaced_pages() -> Iterator[Problem]:
    """Pages that are not exactly once in the lists of index.md, of which the navigation of the site is made."""
    index = DOCS / "index.md"
    order = _script("navigation")
    names = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")} - {index.name}
    yield from (Problem(index, text) for text in order.mistakes(index.read_text(), names))


def stale_pages() -> Iterator[Problem]:
    """Generated pages that differ from the text that docs/generate.py makes now."""
    for name, page in _generated().items():
        file = DOCS / name
        if not file.exists() or file.read_text() != page():
            yield Problem(file, "out of date; run `python docs/generate.py`")


def _generated() -> dict[str, Callable[[], str]]:
    found: dict[str, Callable[[], str]] = _script("generate").PAGES
    return found


def _script(name: str) -> ModuleType:
    """The module of a file beside this one."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def problems(chosen: list[Path]) -> list[Problem]:
    """Every problem of these pages; of all pages, and of the generated ones, when none is chosen."""
    found = [*([] if chosen else stale_pages()), *misplaced_pages()]
    for page in chosen or pages():
        found += broken_links(page)
        found += broken_code(page)
    return found


def _without_blocks(text: str) -> str:
    return _BLOCK.sub("", text)


def _anchors(text: str) -> set[str]:
    return {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in _HEADING.findall(text)}


def main(arguments: list[str]) -> int:
    """Print every problem and return the exit code."""
    chosen = [Path(name).resolve() for name in arguments]
    found = problems(chosen)
    for problem in found:
        print(problem, file=sys.stderr)
    print(f"{len(chosen or pages())} pages, {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
