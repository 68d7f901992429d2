"""Follows the logs of a run or of a task instance while they are written: over retries and deferrals, to the end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from gnomon.cli.home import Home
from gnomon.cli.logs.log_stream import order_by_time
from gnomon.model.states import FINISHED_RUN_STATES, FINISHED_TASK_STATES
from gnomon.report.listings.dag_list import find_dag
from gnomon.report.listings.log_files import AttemptLog, list_attempt_logs
from gnomon.report.listings.log_tail import LogTail
from gnomon.report.listings.run_list import TaskInstanceRow, find_run, list_task_instances
from gnomon.store import Database

LOOK_S = 0.5
"""Interval between two reads."""
REST = 5.0
"""The pause is at least this multiple of the time that a read takes, so that a run of many tasks does not load the database."""
_FINISHED = {state.value for state in FINISHED_TASK_STATES}

WriteLine = Callable[[AttemptLog, str], None]


class LogFollower:
    """Writes the lines of the chosen attempts as they appear, and the changes of states to stderr."""

    def __init__(self, home: Home, db: Database, dag_id: str, run_id: str, write: WriteLine) -> None:
        self._home = home
        self._db = db
        self._dag_id = dag_id
        self._run_id = run_id
        self._write = write
        self._tails: dict[Path, LogTail] = {}
        self._finished: set[tuple[str, int, int]] = set()
        """Attempts whose logs were read to their end."""
        self._states: dict[str, tuple[str | None, int]] = {}

    def follow(self, task_id: str | None, map_index: int | None, first_seq: int = 0) -> list[TaskInstanceRow]:
        """Follow the run, a task of it, or a task instance, until it has ended; returns the task instances at the end.

        `first_seq`: attempts before this one are not shown. A run of which nothing is left to do ends what follows its tasks too.
        """
        while True:
            begun = self._home.clock.monotonic()
            with self._db.read() as tx:
                dag = find_dag(tx, self._dag_id)
                run = find_run(tx, dag, self._run_id)
                rows = [row for row in list_task_instances(tx, dag, run) if task_id in (None, row.task_id) and map_index in (None, row.map_index)]
                logs = list_attempt_logs(tx, dag, run, self._home.cfg.logs_folder, task_id, map_index)
            is_over = run.state in FINISHED_RUN_STATES or (task_id is not None and bool(rows) and all(row.state in _FINISHED for row in rows))
            self._write_new([log for log in logs if log.seq >= first_seq])
            self._report_states(rows, is_over=is_over)
            if is_over:
                if task_id is None:
                    click.echo(f"--- run {self._run_id} is {run.state}" + (f": {run.reason}" if run.reason else ""), err=True)
                return rows
            self._home.sleep(max(LOOK_S, REST * (self._home.clock.monotonic() - begun)))

    def _write_new(self, logs: list[AttemptLog]) -> None:
        lines: list[tuple[AttemptLog, str]] = []
        for log in logs:
            key = (log.task_id, log.map_index, log.seq)
            if key in self._finished:
                continue
            for path in log.paths:
                tail = self._tails.setdefault(path, LogTail(path))
                lines += [(log, line) for line in tail.new_lines(is_over=log.is_ended)]
            if log.is_ended:
                self._finished.add(key)
                self._warn_if_missing(log)
                for path in log.paths:
                    self._tails.pop(path, None)
        for log, line in order_by_time(lines):
            self._write(log, line)

    def _warn_if_missing(self, log: AttemptLog) -> None:
        if not any(path.is_file() for path in log.paths):
            click.echo(f"the log of {log.name}, try {log.try_number}, is not on this machine: it is on that of its worker, or was removed", err=True)

    def _report_states(self, rows: list[TaskInstanceRow], *, is_over: bool) -> None:
        """A line on stderr for each task instance that waits for another try or without a process, or has ended."""
        for row in rows:
            known = self._states.get(row.name)
            if known == (row.state, row.try_number):
                continue
            self._states[row.name] = (row.state, row.try_number)
            is_new = known is None and not is_over and row.state in _FINISHED
            if row.state in (*_FINISHED, "up_for_retry", "up_for_reschedule", "deferred", "awaiting_input") and not is_new:
                tries = f" after try {row.try_number}" if row.try_number > 1 or row.state == "up_for_retry" else ""
                click.echo(f"--- {row.name} is {row.state}{tries}" + (f": {row.reason}" if row.reason else ""), err=True)


def find_first_seq(tx_logs: list[AttemptLog]) -> int:
    """The sequence number of the first attempt of the last try: where following one task instance begins."""
    last_try = max((log.try_number for log in tx_logs), default=0)
    return min((log.seq for log in tx_logs if log.try_number == last_try), default=0)


