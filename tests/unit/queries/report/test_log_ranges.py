"""Ranges of a log and searches through it, against the whole text."""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

import pytest
from tests.patience import PATIENCE_S

from gnomon.ground.log.confined_files import ConfinedFile
from gnomon.queries.report.listings import log_index, log_ranges, log_scan_process
from gnomon.queries.report.listings.log_index import LogIndex, LogIndexCache
from gnomon.queries.report.listings.log_ranges import LogReader

STAMP = "2026-03-01T09:00:00.000000Z"


@pytest.fixture(autouse=True)
def _small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_index, "CHUNK_BYTES", 64)
    monkeypatch.setattr(log_index, "STEP_BYTES", 1_000)
    monkeypatch.setattr(log_index, "FIRST_STEP_BYTES", 150)
    monkeypatch.setattr(log_ranges, "CHUNK_BYTES", 400)
    monkeypatch.setattr(log_ranges, "_BLOCK_BYTES", 100)
    monkeypatch.setattr(log_ranges, "SEARCH_BYTES", 300)


def read_all(reader: LogReader) -> list[str]:
    while not (part := reader.read(0, 0)).is_counted:
        time.sleep(0.001)
    lines: list[str] = []
    while len(lines) < part.total:
        lines += [line.text for line in reader.read(len(lines), 7).lines]
    return lines


def search_all(reader: LogReader, text: str, level: str | None = None, first: int = 0) -> list[int]:
    numbers: list[int] = []
    following: int | None = first
    while following is not None:
        found = reader.search(text, level, following)
        numbers += found.numbers
        following = found.next_line
    return numbers


@pytest.mark.ordinary
@pytest.mark.parametrize("seed", range(20))
def test_lines_are_those_of_the_whole_text(seed: int, tmp_path: Path) -> None:
    dice = random.Random(seed)
    texts = [
        "".join(dice.choices("abé\n", weights=(4, 4, 2, dice.choice((1, 4))), k=dice.randrange(0, 3000)))
        for _ in range(2)
    ]
    paths = [tmp_path / name for name in ("one", "two")]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    reader = LogReader(LogIndexCache(), paths, is_over=True)
    whole = [line for text in texts for line in text.removesuffix("\n").split("\n") if text]
    assert read_all(reader) == whole
    assert reader.read(-3, 3).lines == reader.read(max(0, len(whole) - 3), 3).lines
    found = [number for number, line in enumerate(whole) if "ab" in line]
    assert search_all(reader, "Ab") == found
    assert (
        search_all(LogReader(LogIndexCache(), paths, is_over=True), "Ab") == found
    )  # it begins before the lines are counted
    some = sorted(dice.sample(range(len(whole)), min(5, len(whole))))
    assert [line.text for line in reader.read_some(some).lines] == [whole[number] for number in some]


def test_a_level_includes_the_traceback_of_its_record_and_not_what_was_printed(tmp_path: Path) -> None:
    path = tmp_path / "log"
    lines = [
        f"{STAMP} INFO     begin",
        f"{STAMP} ERROR    broken",
        "Traceback (most recent call last):",
        "  File x",
        "ValueError: no",
        "printed",
        "  indented",
        f"{STAMP} INFO     end",
        f"{STAMP} CRITICAL worse",
    ]
    path.write_text("\n".join(lines * 3) + "\n")
    reader = LogReader(LogIndexCache(), [path], is_over=True)
    read_all(reader)
    errors = [number for number in range(27) if number % 9 in (1, 2, 3, 4, 8)]
    assert search_all(reader, "", "error") == errors
    assert search_all(reader, "valueerror", "error") == [4, 13, 22]
    assert [search_all(reader, "", "error", first)[0] for first in range(27)] == [
        next(number for number in errors if number >= first) for first in range(27)
    ]
    line = reader.read(1, 1).lines[0]
    assert (line.level, line.at, line.text) == ("error", STAMP, "broken")


def test_a_growing_log_gives_only_what_is_new_and_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("one\nhalf")
    cache = LogIndexCache()
    reader = LogReader(cache, [path], is_over=False)
    assert [line.text for line in reader.read(0, 10).lines] == ["one"]
    with path.open("a") as file:
        file.write(" a line\nthree\n")
    assert [line.text for line in reader.read(1, 10).lines] == ["half a line", "three"]
    with path.open("a") as file:
        file.write("last")
    assert reader.read(0, 10).total == 3
    assert LogReader(cache, [path], is_over=True).read(3, 10).lines[0].text == "last"
    path.write_text("new\n")
    assert [line.text for line in reader.read(0, 10).lines] == ["new"]


def test_a_long_line_is_cut_and_can_be_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("x" * 900 + "\nnext\n")
    reader = LogReader(LogIndexCache(), [path], is_over=True)
    first, second = reader.read(0, 2, 10).lines
    assert (first.text, first.size, first.is_cut, second.text, second.is_cut) == ("x" * 10, 901, True, "next", False)
    assert reader.read(0, 1, 900).lines[0].is_cut is False


@pytest.mark.ordinary
def test_groups_are_found_where_a_line_begins_with_their_mark(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text(
        f"a\n::group::First\nx\n{STAMP} INFO     ::group::Inner\ny\n::endgroup::\n::endgroup::\nit says ::group::no mark here at all\n"
        * 9
        + "::group::open\nz\n"
    )
    reader = LogReader(LogIndexCache(), [path], is_over=True)
    read_all(reader)
    groups = [(group.first, group.last, group.title) for group in reader.read(0, 1).groups]
    assert groups == [
        group
        for turn in range(9)
        for group in ((turn * 8 + 1, turn * 8 + 6, "First"), (turn * 8 + 3, turn * 8 + 5, "Inner"))
    ] + [(72, None, "open")]


@pytest.fixture
def nothing_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """No process counts lines: as if others counted all the time."""
    monkeypatch.setattr(log_scan_process.LogScanProcess, "start", lambda *_: None)


def test_the_process_of_an_index_that_is_kept_no_longer_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Process:
        is_running, has_failed = True, False

        def stop(self) -> None:
            self.is_running = False

    begun: list[Process] = []
    monkeypatch.setattr(log_scan_process.LogScanProcess, "start", lambda *_: begun.append(Process()) or begun[-1])
    monkeypatch.setattr(log_index, "FILES_MAX", 1)
    cache = LogIndexCache()
    for name in ("long", "other"):
        with (tmp_path / name).open("wb") as file:
            file.truncate(log_index.STEP_BYTES * 2)
    index = cache.find(tmp_path / "long")
    with index.guard:
        assert not index.advance()
    cache.find(tmp_path / "other")
    assert [process.is_running for process in begun] == [False]
    with index.guard:  # a request still has it
        assert not index.advance()
    assert [process.is_running for process in begun] == [False, True]


def _numbered(reader: LogReader, first: int, count: int) -> list[tuple[int, str]]:
    return [(line.number, line.text) for line in reader.read(first, count).lines]


@pytest.mark.usefixtures("nothing_counts")
def test_the_end_of_a_log_is_shown_before_its_lines_are_counted(tmp_path: Path) -> None:
    paths = [tmp_path / "one", tmp_path / "two"]
    paths[0].write_text("".join(f"line {number}\n" for number in range(1_000)) + "half")
    paths[1].write_text("x\r\ny\nopen")
    over = LogReader(LogIndexCache(), paths, is_over=True)
    assert _numbered(over, -5, 5) == [(-5, "line 999"), (-4, "half"), (-3, "x"), (-2, "y"), (-1, "open")]
    assert _numbered(over, -5, 2) == [(-5, "line 999"), (-4, "half")]
    growing = LogReader(LogIndexCache(), paths, is_over=False)
    assert _numbered(growing, -2, 2) == [(-2, "x"), (-1, "y")]
    assert growing.read(-2, 2).is_counted is False
    assert _numbered(growing, 0, 2) == [(0, "line 0"), (1, "line 1")]


@pytest.mark.usefixtures("nothing_counts")
def test_the_end_of_a_log_has_whole_lines_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_ranges, "TAIL_BYTES", 100)
    path = tmp_path / "log"
    reader = LogReader(LogIndexCache(), [path], is_over=True)
    path.write_text("a" * 2_000 + "\n" + "b" * 60 + "\nc\n")
    assert _numbered(reader, -9, 9) == [(-2, "b" * 60), (-1, "c")]
    assert [line.is_cut for line in reader.read(-9, 9, 10).lines] == [True, False]
    path.write_text("a" * 3_000)
    assert _numbered(reader, -9, 9) == []


@pytest.mark.ordinary
@pytest.mark.parametrize("program", ["/bin/false", "/no/such/program"])
def test_requests_count_the_lines_when_no_process_does(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", program)
    path = tmp_path / "log"
    path.write_text("".join(f"{number}\n" for number in range(2_000)))
    assert read_all(LogReader(LogIndexCache(), [path], is_over=True))[-1] == "1999"
    until = time.monotonic() + PATIENCE_S
    while log_scan_process._slots._value < log_scan_process.PROCESSES_MAX:  # those of other tests, too
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.ordinary
def test_a_process_that_counts_a_file_which_is_replaced_is_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("".join(f"{number}\n" for number in range(200_000)))
    index = LogIndex(path)
    with index.guard:
        assert not index.advance()
        counting = index._process
    assert counting is not None
    path.write_text("new\n")
    with index.guard:
        assert index.advance()
        index.guard.wait_for(lambda: not counting.is_running, PATIENCE_S)
        assert not counting.is_running
        assert not counting.has_failed
        assert (index.size, index.line_ends, index.groups) == (4, 1, [])


def test_a_mark_that_comes_in_pieces_is_found(tmp_path: Path) -> None:
    path = tmp_path / "log"
    index = LogIndex(path)
    for piece in ("a\n::gr", "ou", "p::First\n", "::endgr", "oup::\n"):
        with path.open("a") as file:
            file.write(piece)
        with index.guard:
            assert index.advance()
    assert [(group.first, group.last, group.title) for group in index.groups] == [(1, 2, "First")]


def test_a_missing_file_is_an_empty_log(tmp_path: Path) -> None:
    part = LogReader(LogIndexCache(), [tmp_path / "none"], is_over=True).read(0, 10)
    assert (part.lines, part.total, part.is_counted) == ([], 0, True)


def test_a_log_that_is_replaced_by_a_link_between_two_looks_has_no_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "key").write_text("secret\n" * 3)
    (tmp_path / "x.log").write_text("line\n" * 3)
    advance = LogIndex.advance

    def replace(index: LogIndex) -> bool:
        is_counted = advance(index)
        if not (tmp_path / "x.log").is_symlink():
            (tmp_path / "x.log").unlink()
            (tmp_path / "x.log").symlink_to(tmp_path / "key")
        return is_counted

    monkeypatch.setattr(LogIndex, "advance", replace)
    reader = LogReader(LogIndexCache(), [ConfinedFile(tmp_path, "x.log")], is_over=True)
    assert reader.read(0, 10).lines == []
    assert reader.search("secret", None, 0).numbers == []
