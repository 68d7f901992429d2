"""The script of a replay: each try takes as long, and ends as it did."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from gnomon.entry.projection.assumed_times import CALLBACK_S, DEFAULT_S, RETURNED
from gnomon.entry.testing.scripted import Play
from gnomon.model.attempts import Attempt
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import DagRecord
from gnomon.model.states import TaskInstanceState
from gnomon.storage.store.dag_records.day_history import PastAttempt, PastRun, PastTask

TryKey = tuple[str, str, Instant, str, int, int]
"""DAG, type and due time of the run; task, map index and try."""


class RecordedTimes:
    """What each try did. Tries without a record are in `unrecorded`: they take 60 s, or what the file expects, and succeed."""

    def __init__(
        self,
        dags: Mapping[int, DagRecord],
        runs: Iterable[PastRun],
        attempts: Iterable[PastAttempt],
        tasks: Iterable[PastTask],
        until: Instant,
    ) -> None:
        """`until`: of runs that are due later it is not told which tries have no record."""
        self._until = until
        self._runs = {run.run_pk: run for run in runs if run.dag_pk in dags}
        self._dags = dags
        self._names = {
            dag_pk: {number: task_id for task_id, number in dag.task_numbers.items()} for dag_pk, dag in dags.items()
        }
        self._downstream: dict[tuple[str, str], list[str]] = defaultdict(list)
        self._expected_s: dict[tuple[str, str], float | None] = {}
        for dag in dags.values():
            for task in dag.spec.tasks:
                self._expected_s[dag.dag_id, task.task_id] = task.expected_duration_s
                for upstream in task.upstream:
                    self._downstream[dag.dag_id, upstream].append(task.task_id)
        self._tries: dict[TryKey, list[PastAttempt]] = defaultdict(list)
        for attempt in attempts:
            key = self._find_key(attempt.run_pk, attempt.task_no)
            if key is not None:
                self._tries[(*key, attempt.map_index, attempt.try_number)].append(attempt)
        self._skipped: set[tuple[str, str, Instant, str]] = set()
        self._lengths: dict[tuple[str, str, Instant, str], int] = {}
        for task_of_run in tasks:
            path = self._find_key(task_of_run.run_pk, task_of_run.task_no)
            if path is None or task_of_run.map_index != UNMAPPED:
                continue
            if task_of_run.state is TaskInstanceState.SKIPPED and (*path, UNMAPPED, 1) not in self._tries:
                self._skipped.add(path)
            if task_of_run.return_length is not None and task_of_run.return_length >= 0:
                self._lengths[path] = task_of_run.return_length
        self.unrecorded: dict[tuple[str, str], None] = {}
        self.resumed: dict[tuple[str, str], None] = {}
        """Tasks whose tries were deferred or rescheduled: they hold their slots all the time here."""

    def _find_key(self, run_pk: int, task_no: int) -> tuple[str, str, Instant, str] | None:
        run = self._runs.get(run_pk)
        task_id = None if run is None else self._names[run.dag_pk].get(task_no)
        if run is None or task_id is None:
            return None
        return self._dags[run.dag_pk].dag_id, run.run_type, run.run_after, task_id

    def play(self, attempt: Attempt) -> Play:
        """What this try did."""
        if attempt.kind == "callback":
            return Play(CALLBACK_S)
        run, task = attempt.run, (attempt.run.dag_id, attempt.task_id)
        path = (run.dag_id, run.run_type, run.run_after, attempt.task_id)
        length = self._lengths.get(path, 1)
        skipped = tuple(
            name for name in self._downstream[task] if (run.dag_id, run.run_type, run.run_after, name) in self._skipped
        )
        attempts = self._tries.get((*path, attempt.map_index, attempt.try_number), [])
        starts = [each.started_at for each in attempts if each.started_at is not None]
        ends = [each.ended_at for each in attempts if each.ended_at is not None]
        if not starts or not ends:
            if run.run_after < self._until:
                self.unrecorded[task] = None
            run_s = self._expected_s.get(task) or DEFAULT_S
            return Play(run_s, return_length=length, xcoms=RETURNED, skip_task_ids=skipped)
        if len(attempts) > 1 and run.run_after < self._until:
            self.resumed[task] = None
        run_s = (max(ends) - min(starts)) / SECOND
        if attempts[-1].state in ("failed", "skipped"):
            return Play(run_s, outcome=attempts[-1].state, reason="so it was")
        return Play(run_s, return_length=length, xcoms=RETURNED, skip_task_ids=skipped)
