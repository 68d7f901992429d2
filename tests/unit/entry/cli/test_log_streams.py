"""Logs of several tasks in one stream, and logs that are followed while they are written."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import Deployment, spec_of

from gnomon.changes.operations.log_operations import AttemptFiles
from gnomon.entry.cli.deployment.home import Home
from gnomon.entry.cli.logs.log_stream import LineFormat, merge_logs, order_by_time
from gnomon.entry.cli.terminal.screen import Screen
from gnomon.model.attempts import build_attempt_log_path
from gnomon.queries.report.listings.log_tail import LogTail
from gnomon.testing import Play

START = 1_772_355_600_000_000


def _log(folder: Path, task_id: str, started_s: int, text: str) -> AttemptFiles:
    path = folder / f"{task_id}.log"
    path.write_text(text)
    return AttemptFiles(
        task_id, -1, 1, 1, START + started_s * 1_000_000, True, True, (str(folder / "missing"), str(path))
    )


def test_logs_are_merged_by_the_times_of_their_lines_and_lines_without_a_time_stay_behind_theirs(
    tmp_path: Path,
) -> None:
    logs = [
        _log(
            tmp_path,
            "b",
            5,
            "2026-03-01T09:00:05.000000Z INFO     b1\nprinted by b\n2026-03-01T09:00:30.000000Z INFO     b2\n",
        ),
        _log(tmp_path, "a", 0, "printed by a\n2026-03-01T09:00:10.000000Z ERROR    a1\nTraceback\n"),
        _log(tmp_path, "c", 60, "late"),
    ]
    assert [
        line.removeprefix("2026-03-01T09:00:") for _, line in merge_logs(logs, lambda _log, file: LogTail(Path(file)))
    ] == [
        "printed by a",
        "05.000000Z INFO     b1",
        "printed by b",
        "10.000000Z ERROR    a1",
        "Traceback",
        "30.000000Z INFO     b2",
        "late",
    ]


def test_lines_that_were_read_together_are_ordered_too(tmp_path: Path) -> None:
    first, second = _log(tmp_path, "a", 0, ""), _log(tmp_path, "b", 2, "")
    read = [
        (first, "2026-03-01T09:00:09.000000Z INFO     late"),
        (first, "goes with it"),
        (second, "printed at the start"),
    ]
    assert [line for _, line in order_by_time(read)] == [read[2][1], read[0][1], read[1][1]]


def test_a_pipe_gets_lines_as_written_and_a_terminal_names_colours_and_local_times(tmp_path: Path) -> None:
    log = _log(tmp_path, "load", 0, "")
    line = "2026-03-01T09:00:05.123456Z ERROR    no"
    assert LineFormat(Screen(is_terminal=False), has_names=True).format(log, line) == f"load | {line}"
    shown = LineFormat(Screen(is_terminal=True, width=80, has_colour=True, utc=True), has_names=False).format(log, line)
    assert shown == "\x1b[31m09:00:05.123Z ERROR    no\x1b[0m"


def test_a_tail_gives_whole_lines_once_and_the_rest_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "log"
    tail = LogTail(path)
    assert list(tail.new_lines()) == []
    path.write_text("one\ntw")
    assert list(tail.new_lines()) == ["one"]
    path.write_text("one\ntwo\nthr")
    assert list(tail.new_lines()) == ["two"]
    assert list(tail.new_lines(is_over=True)) == ["thr"]


@pytest.fixture
def written(home: Home, deployment: Deployment) -> Deployment:
    """A DAG whose task fails once and then succeeds; its two attempts have logs."""
    deployment.add(spec_of("a", {"x": (), "y": ("x",)}))
    for seq in (1, 2):
        path = home.cfg.logs_folder / build_attempt_log_path("a", "r", "x", -1, seq)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"attempt {seq}\n")
    return deployment


def test_following_a_task_begins_before_its_start_and_ends_with_it(gnomon: Gnomon, written: Deployment) -> None:
    written.plays["x"] = Play(run_s=3.0)
    written.plays["y"] = Play(run_s=500.0)
    written.start()
    gnomon("dags", "trigger", "a", "--run-id", "r")
    code, out, err = gnomon("tasks", "logs", "a", "r", "x", "--follow")
    assert (code, out) == (0, "attempt 1\n") and "--- x is success" in err


def test_following_a_run_survives_a_second_attempt_and_ends_with_the_run(gnomon: Gnomon, written: Deployment) -> None:
    written.start()
    gnomon("dags", "trigger", "a", "--run-id", "r")
    written.move()
    gnomon("tasks", "clear", "a", "r", "x")
    code, out, err = gnomon("tasks", "logs", "a", "r", "--follow")
    assert code == 0 and out == "x | attempt 1\nx #2 | attempt 2\n"
    assert err.endswith("--- run r is success\n") and "the log of y, try 1, is not on this machine" in err


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (("a", "r", "--try", "1"), 2, "name it after RUN"),
        (("a", "r", "x", "--try", "1", "-f"), 2, "leave one of them out"),
        (("a", "r", "z", "-f"), 1, "there is no task 'z'"),
        (("a", "s"), 1, "there is no run 's'"),
    ],
)
def test_what_cannot_be_shown_is_said(
    args: tuple[str, ...], code: int, said: str, gnomon: Gnomon, written: Deployment
) -> None:
    written.start()
    gnomon("dags", "trigger", "a", "--run-id", "r")
    ended = gnomon("tasks", "logs", *args)
    assert ended.code == code and said in ended.err
