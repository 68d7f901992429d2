"""Memory moves into large pages, and stays what it is. Each program is a new process: what one of pytest holds lies anywhere."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="pages are Linux's")

HEAD = """
import os
from gnomon.author_code.processes.large_pages import LARGE_PAGE, find_filled_ranges, reserve_heap, use_large_pages
before = set(find_filled_ranges())
"""


def _run(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", HEAD + program], capture_output=True, text=True, check=True)
    return done.stdout


def test_what_a_process_holds_alone_is_found_and_keeps_its_value() -> None:
    said = _run("""
held = [{"number": number, "text": str(number)} for number in range(300_000)]
fresh = [start for start in find_filled_ranges() if start not in before]
moved = use_large_pages(fresh)
print(len(fresh) >= 5, moved in (0, len(fresh)), all(start % LARGE_PAGE == 0 for start in fresh))
print(all(held[number] == {"number": number, "text": str(number)} for number in range(300_000)))
""")
    assert said.split() == ["True"] * 4


def test_what_a_process_shares_with_its_parent_is_not_found() -> None:
    said = _run("""
held = [{"number": number, "text": str(number)} for number in range(300_000)]
own = set(find_filled_ranges())
if os.fork() == 0:
    os._exit(len(own & set(find_filled_ranges())))
print(len(own) >= 5, os.waitstatus_to_exitcode(os.wait()[1]))
""")
    assert said.split() == ["True", "0"]


def test_a_reserve_lies_in_one_piece() -> None:
    said = _run("""
reserve_heap(12 * LARGE_PAGE)
starts = find_filled_ranges()
print(max(sum(first <= start < first + 12 * LARGE_PAGE for start in starts) for first in starts))
""")
    assert int(said) >= 8, "it begins and ends within a large page, and other gaps are filled first"
