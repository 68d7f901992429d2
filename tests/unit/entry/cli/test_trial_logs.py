"""The lines that `gnomon dags test` shows of its tasks."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon.entry.testing.dag_runs.task_logs import TaskLogs
from gnomon.model.attempts import build_attempt_log_path, build_trigger_log_path
from gnomon.queries.report.listings import log_tail

pytestmark = pytest.mark.pure


def _write(folder: Path, name: str, text: bytes) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.write(text)


def test_each_line_is_returned_once_with_its_task(tmp_path: Path) -> None:
    logs = TaskLogs(tmp_path)
    assert list(logs.new_lines()) == []
    _write(tmp_path, build_attempt_log_path("d", "r", "group.load/all", -1, 1), b"one\ntwo\n")
    _write(tmp_path, build_attempt_log_path("d", "r", "map", 3, 1), b"three\n")
    assert list(logs.new_lines()) == ["group.load/all | one", "group.load/all | two", "map[3] | three"]
    _write(tmp_path, build_attempt_log_path("d", "r", "map", 3, 2), b"again\n")
    _write(tmp_path, build_trigger_log_path("d", "r", "map", 3, 2), b"fired\n")
    assert list(logs.new_lines()) == ["map[3] | again", "map[3] | fired"]
    assert list(logs.new_lines(is_over=True)) == []


def test_a_line_without_an_end_waits_for_it(tmp_path: Path) -> None:
    logs, name = TaskLogs(tmp_path), build_attempt_log_path("d", "r", "t", -1, 1)
    _write(tmp_path, name, b"caf\xc3")
    assert list(logs.new_lines()) == []
    _write(tmp_path, name, b"\xa9\nha")
    assert list(logs.new_lines()) == ["t | caf\u00e9"]
    _write(tmp_path, name, b"lf")
    assert list(logs.new_lines(is_over=True)) == ["t | half"]


@pytest.mark.parametrize("is_over", [False, True])
def test_a_long_log_is_read_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_over: bool) -> None:
    monkeypatch.setattr(log_tail, "READ_BYTES", 8)
    lines = ["a", "bcd", "efghij", "longer than a piece", "k"]
    _write(tmp_path, build_attempt_log_path("d", "r", "t", -1, 1), "".join(f"{line}\n" for line in lines).encode())
    shown = [line.removeprefix("t | ") for line in TaskLogs(tmp_path).new_lines(is_over=is_over)]
    assert shown == ["a", "bcd", "efghij", "longer t", "han a pi", "ece", "k"]
