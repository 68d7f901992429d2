"""The sources of the page: types, unit tests, and what its build makes."""

from __future__ import annotations

import gzip
import json
import os
import re
from pathlib import Path

import pytest
from tests.page.page_tools import run_node
from tests.page.page_types import TYPES, write_types
from web.check_sources import CHECKS
from web.node import WEB

from gnomon.api.page_files import ASSETS, find_page_files

FIRST_LOAD_MAX = 250_000


def test_the_types_are_those_of_the_api(tmp_path: Path) -> None:
    write_types(tmp_path / "schema.d.ts")
    assert TYPES.read_text() == (tmp_path / "schema.d.ts").read_text(), "run: python -m tests.page.page_types"


@pytest.mark.parametrize("check", CHECKS)
def test_the_sources_are_well_typed_linted_and_formatted(check: str) -> None:
    run_node(*CHECKS[check])


def test_the_unit_tests_of_the_page_pass() -> None:
    run_node("node_modules/vitest/vitest.mjs", "run")


def test_the_lock_file_names_no_address() -> None:
    lock = json.loads((WEB / "package-lock.json").read_text())
    assert [name for name, entry in lock["packages"].items() if "resolved" in entry] == []


def find_first_files(index: str, folder: Path) -> set[Path]:
    """The files that the document names, those that they import before they run, and the fonts of the style sheet."""
    names, found = re.findall(r'(?:src|href)="/page-assets/([^"]+)"', index), set[Path]()
    while names:
        path = folder / names.pop()
        if path not in found:
            found.add(path)
            if path.suffix == ".js":
                names += re.findall(r'(?:from|import)\s*"\./([^"]+\.js)"', path.read_text())
            elif path.suffix == ".css":
                names += re.findall(r"url\((?:/page-assets|\.)/([^)]+)\)", path.read_text())
    return found


def test_the_first_load_is_small_and_asks_no_other_host() -> None:
    files = find_page_files()
    if files.index is None and not os.environ.get("CI"):
        pytest.skip(f"there is no page in this installation: {files.reason}")
    assert files.index is not None, files.reason
    sent = [path.read_bytes() for path in find_first_files(files.index, files.folder / ASSETS)] + [files.index.encode()]
    assert sum(len(gzip.compress(data)) for data in sent) <= FIRST_LOAD_MAX
    assert not re.search(r'(?:src|href)="(?:https?:)?//', files.index)


def test_a_field_with_a_label_of_one_word_is_looked_for_by_the_whole_label() -> None:
    """`page.get_by_label("Key")` is also the button "Edit Variable my key" of a row that another test left in the standalone."""
    loose = re.compile(r"""\bpage\.get_by_label\(["']\w+["']\)""")
    lines = [
        f"{path.name}: {line.strip()}"
        for path in sorted(Path(__file__).parent.glob("*.py"))
        for line in path.read_text().splitlines()
        if loose.search(line) and "`" not in line
    ]
    assert lines == [], "add exact=True, or look for it in its form"
