"""Finds and reads the Python files of a repository. A file that cannot be read becomes a finding, never an error."""

from __future__ import annotations

import ast
import io
import os
import re
import tokenize
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gnomon.airflow_compat.migration.repository.findings import Finding, Severity

MAX_BYTES = 5_000_000
"""A larger file is not read: it is data, not a DAG file."""
_SKIPPED_FOLDERS = frozenset(
    {
        "__pycache__",
        "node_modules",
        "site-packages",
        ".git",
        ".hg",
        ".svn",
        ".tox",
        ".nox",
        ".venv",
        "venv",
        ".mypy_cache",
    }
)
_PYTHON_2 = re.compile(
    r"^\s*(print\s+[\"'\w]|exec\s+[\"']|raise\s+\w+\s*,|except\s+[\w.]+\s*,\s*\w+\s*:)|\.has_key\(|<>|\bur[\"']",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class ParsedSource:
    """One file of the repository: its syntax tree, or the finding that says why there is none."""

    path: str
    """Relative to the folder, with slashes."""
    tree: ast.Module | None = None
    text: str = ""
    problem: Finding | None = None


def list_files(folder: Path) -> Iterator[Path]:
    """Yield the files below the folder in the order of their paths. A folder that is reached twice by links is listed once."""
    seen_folders: set[tuple[int, int]] = set()
    pending = [folder]
    while pending:
        current = pending.pop()
        try:
            status = current.stat()
            entries = sorted(os.scandir(current), key=lambda entry: entry.name)
        except OSError:
            continue
        if (status.st_dev, status.st_ino) in seen_folders:
            continue
        seen_folders.add((status.st_dev, status.st_ino))
        for entry in entries:
            path = Path(entry.path)
            if _is_kind(entry, is_folder=True):
                if entry.name not in _SKIPPED_FOLDERS and not (path / "pyvenv.cfg").exists():
                    pending.append(path)
            elif _is_kind(entry, is_folder=False):
                yield path


def _is_kind(entry: os.DirEntry[str], *, is_folder: bool) -> bool:
    try:
        return entry.is_dir() if is_folder else entry.is_file()
    except OSError:
        return False


def read_source(path: Path, name: str) -> ParsedSource:
    """Read and parse one Python file. `name`: its path in the report."""
    try:
        if path.stat().st_size > MAX_BYTES:
            return _unreadable(
                name, 1, "too-large", f"the file is larger than {MAX_BYTES // 1_000_000} MB and is not read"
            )
        content = path.read_bytes()
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        text = content.decode(encoding)
    except (UnicodeDecodeError, SyntaxError, LookupError) as error:
        return _unreadable(
            name,
            1,
            "encoding",
            f"the text cannot be decoded: {error}; save the file as UTF-8, or name its encoding in its first line",
        )
    except OSError as error:
        return _unreadable(name, 1, "unreadable", f"the file cannot be read: {error.strerror or error}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ParsedSource(name, ast.parse(text), text)
    except SyntaxError as error:
        if _PYTHON_2.search(text):
            return _unreadable(
                name,
                error.lineno or 1,
                "python-2",
                "the file is Python 2, which cannot be imported; port it to Python 3",
            )
        if "\0" in text:
            line = text[: text.index("\0")].count("\n") + 1
            return _unreadable(
                name,
                line,
                "syntax",
                "the file contains a null byte, so it is not Python text; save it as UTF-8, or exclude it in .airflowignore",
            )
        if error.msg.startswith("too many nested"):
            return _unreadable(
                name,
                error.lineno or 1,
                "too-deep",
                f"{error.msg}: Python's parser does not read the file; assign the parts of its expressions to variables",
            )
        return _unreadable(name, error.lineno or 1, "syntax", f"syntax error: {error.msg}")
    except (RecursionError, MemoryError):  # what Python's parser raises, by version and by what is nested
        return _unreadable(
            name,
            1,
            "too-deep",
            "an expression of the file is nested too deeply for Python's parser; assign its parts to variables",
        )
    except ValueError as error:
        return _unreadable(name, 1, "syntax", f"the file is not Python text: {error}")


def _unreadable(name: str, line: int, rule: str, message: str) -> ParsedSource:
    return ParsedSource(name, problem=Finding(line, Severity.UNREADABLE, rule, message))
