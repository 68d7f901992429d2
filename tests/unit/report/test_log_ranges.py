"""Ranges of a log and searches through it, against the whole text."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from gnomon.report.listings import log_index, log_ranges
from gnomon.report.listings.log_index import LogIndexCache
from gnomon.report.listings.log_ranges import LogReader

STAMP = "2026-03-01T09:00:00.000000Z"


@pytest.fixture(autouse=True)
def _small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_index, "CHUNK_BYTES", 64)
    monkeypatch.setattr(log_index, "STEP_BYTES", 1_000)
    monkeypatch.setattr(log_ranges, "CHUNK_BYTES", 400)
    monkeypatch.setattr(log_ranges, "_BLOCK_BYTES", 100)
    monkeypatch.setattr(log_ranges, "SEARCH_BYTES", 300)


def read_all(reader: LogReader) -> list[str]:
    while not (part := reader.read(0, 0)).is_counted:
        pass
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


@pytest.mark.parametrize("seed", range(20))
def test_lines_are_those_of_the_whole_text(seed: int, tmp_path: Path) -> None:
    dice = random.Random(seed)
    texts = ["".join(dice.choices("abé\n", weights=(4, 4, 2, dice.choice((1, 4))), k=dice.randrange(0, 3000))) for _ in range(2)]
    paths = [tmp_path / name for name in ("one", "two")]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    reader = LogReader(LogIndexCache(), paths, is_over=True)
    whole = [line for text in texts for line in text.removesuffix("\n").split("\n") if text]
    assert read_all(reader) == whole
    assert reader.read(-3, 3).lines == reader.read(max(0, len(whole) - 3), 3).lines
    assert search_all(reader, "Ab") == [number for number, line in enumerate(whole) if "ab" in line]
    some = sorted(dice.sample(range(len(whole)), min(5, len(whole))))
    assert [line.text for line in reader.read_some(some).lines] == [whole[number] for number in some]


def test_a_level_includes_the_traceback_of_its_record_and_not_what_was_printed(tmp_path: Path) -> None:
    path = tmp_path / "log"
    lines = [
        f"{STAMP} INFO     begin", f"{STAMP} ERROR    broken", "Traceback (most recent call last):", "  File x", "ValueError: no", "printed", "  indented",
        f"{STAMP} INFO     end", f"{STAMP} CRITICAL worse",
    ]  # fmt: skip
    path.write_text("\n".join(lines * 3) + "\n")
    reader = LogReader(LogIndexCache(), [path], is_over=True)
    read_all(reader)
    errors = [number for number in range(27) if number % 9 in (1, 2, 3, 4, 8)]
    assert search_all(reader, "", "error") == errors
    assert search_all(reader, "valueerror", "error") == [4, 13, 22]
    assert [search_all(reader, "", "error", first)[0] for first in range(27)] == [next(number for number in errors if number >= first) for first in range(27)]
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


def test_groups_are_found_where_a_line_begins_with_their_mark(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text(f"a\n::group::First\nx\n{STAMP} INFO     ::group::Inner\ny\n::endgroup::\n::endgroup::\nit says ::group::no mark here at all\n" * 9 + "::group::open\nz\n")
    reader = LogReader(LogIndexCache(), [path], is_over=True)
    read_all(reader)
    groups = [(group.first, group.last, group.title) for group in reader.read(0, 1).groups]
    assert groups == [group for turn in range(9) for group in ((turn * 8 + 1, turn * 8 + 6, "First"), (turn * 8 + 3, turn * 8 + 5, "Inner"))] + [(72, None, "open")]


def test_a_missing_file_is_an_empty_log(tmp_path: Path) -> None:
    part = LogReader(LogIndexCache(), [tmp_path / "none"], is_over=True).read(0, 10)
    assert (part.lines, part.total, part.is_counted) == ([], 0, True)
