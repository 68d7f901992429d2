"""Follows the logs of a run or of a task instance while they are written: over retries and deferrals, to the end."""

from __future__ import annotations

from collections.abc import Callable

import click

from gnomon.changes.operations.log_operations import AttemptFiles, list_run_logs
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess, LogLines
from gnomon.entry.cli.logs.log_stream import order_by_time
from gnomon.model.states import FINISHED_TASK_STATES
from gnomon.queries.report.listings.run_list import TaskInstanceRow

LOOK_S = 0.5
"""Interval between two reads."""
REST = 5.0
"""The pause is at least this multiple of the time that a read takes, so that a run of many tasks does not load the database."""

WriteLine = Callable[[AttemptFiles, str], None]


class LogFollower:
    """Writes the lines of the chosen attempts as they appear, and the changes of states to stderr."""

    def __init__(self, deployment: DeploymentAccess, dag_id: str, run_id: str, write: WriteLine) -> None:
        self._deployment = deployment
        self._dag_id = dag_id
        self._run_id = run_id
        self._write = write
        self._tails: dict[str, LogLines] = {}
        self._finished: set[tuple[str, int, int]] = set()
        """Attempts whose logs were read to their end."""
        self._states: dict[str, tuple[str | None, int]] = {}

    def follow(self, task_id: str | None, map_index: int | None, first_seq: int = 0) -> list[TaskInstanceRow]:
        """Follow the run, a task of it, or a task instance, until it has ended; returns the task instances at the end.

        `first_seq`: attempts before this one are not shown. A run of which nothing is left to do ends what follows its tasks too.
        """
        while True:
            begun = self._deployment.clock.monotonic()
            run_logs = self._deployment.perform(list_run_logs, self._dag_id, self._run_id, task_id, map_index)
            run, rows, logs = run_logs.run, run_logs.instances, run_logs.attempts
            is_over = run_logs.is_finished or (
                task_id is not None and bool(rows) and all(row.state in FINISHED_TASK_STATES for row in rows)
            )
            self._write_new([log for log in logs if log.seq >= first_seq])
            self._report_states(rows, is_over=is_over)
            if is_over:
                if task_id is None:
                    click.echo(
                        f"--- run {self._run_id} is {run.state}" + (f": {run.reason}" if run.reason else ""), err=True
                    )
                return rows
            self._deployment.sleep(max(LOOK_S, REST * (self._deployment.clock.monotonic() - begun)))

    def _write_new(self, logs: list[AttemptFiles]) -> None:
        lines: list[tuple[AttemptFiles, str]] = []
        for log in logs:
            key = (log.task_id, log.map_index, log.seq)
            if key in self._finished:
                continue
            for file in log.files:
                if file not in self._tails:
                    self._tails[file] = self._deployment.open_task_log(
                        self._dag_id, self._run_id, log.task_id, log.map_index, file
                    )
                tail = self._tails[file]
                lines += [(log, line) for line in tail.new_lines(is_over=log.is_ended)]
            if log.is_ended:
                self._finished.add(key)
                self._warn_if_missing(log)
                for file in log.files:
                    self._tails.pop(file, None)
        for log, line in order_by_time(lines):
            self._write(log, line)

    def _warn_if_missing(self, log: AttemptFiles) -> None:
        if not log.is_stored:
            click.echo(
                f"the log of {log.name}, try {log.try_number}, is not on this machine: it is on that of its worker, or was removed",
                err=True,
            )

    def _report_states(self, rows: list[TaskInstanceRow], *, is_over: bool) -> None:
        """A line on stderr for each task instance that waits for another try or without a process, or has ended."""
        for row in rows:
            previous = self._states.get(row.name)
            if previous == (row.state, row.try_number):
                continue
            self._states[row.name] = (row.state, row.try_number)
            is_new = previous is None and not is_over and row.state in FINISHED_TASK_STATES
            if (
                row.state in (*FINISHED_TASK_STATES, "up_for_retry", "up_for_reschedule", "deferred", "awaiting_input")
                and not is_new
            ):
                tries = f" after try {row.try_number}" if row.try_number > 1 or row.state == "up_for_retry" else ""
                click.echo(
                    f"--- {row.name} is {row.state}{tries}" + (f": {row.reason}" if row.reason else ""), err=True
                )


def find_first_seq(tx_logs: list[AttemptFiles]) -> int:
    """The sequence number of the first attempt of the last try: where following one task instance begins."""
    last_try = max((log.try_number for log in tx_logs), default=0)
    return min((log.seq for log in tx_logs if log.try_number == last_try), default=0)
