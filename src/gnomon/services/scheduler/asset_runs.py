"""Creates the runs of DAGs that are scheduled by assets (CROSS_DAG in docs/contributing/ownership.md).

A DAG is looked at when mail says that an event is in its queue, when one of its runs has ended, and when it was read: it was
loaded, edited, unpaused or its error was resolved. The queue in the store decides, so a DAG that is looked at for nothing costs
one lookup, and an event that arrives while a run is created makes the next run.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple

from gnomon.author_code.timetable_host import TimetableHost
from gnomon.ground import log
from gnomon.model.assets import AssetCondition, AssetLeaf, PartitionRule
from gnomon.model.instants import Instant
from gnomon.model.records import RunRecord
from gnomon.model.sentences import render, say
from gnomon.model.states import FINISHED_RUN_STATES
from gnomon.rules.assets.conditions import holds
from gnomon.rules.assets.leaf_mappers import PartitionAnswers, list_rule_classes
from gnomon.rules.engine.lifecycle.run_lifecycle import active_runs_limit
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.rules.engine.state.task_instance import Dag
from gnomon.services.scheduler.author_partitions import AnsweredQueue, AuthorPartitionQuestions
from gnomon.services.scheduler.settings import ASSET_DAGS_MAX, ASSET_RUNS_MAX, PARTITION_KEYS_MAX
from gnomon.services.scheduler.step_failures import describe_failure, is_isolable
from gnomon.storage.store import Database, Transaction
from gnomon.storage.store.asset_records.asset_queue import MAX_CONSUMED_EVENTS, create_asset_run, find_satisfied_leaves
from gnomon.storage.store.asset_records.partition_runs import create_partition_runs

_log = log.get_logger("scheduler.asset_runs")


class _Candidate(NamedTuple):
    """A DAG for which a run may be created."""

    dag_pk: int
    condition: AssetCondition
    version_pk: int
    """The version that has the condition; with another version in the store, the DAG is read again and then looked at again."""
    partition_rules: tuple[PartitionRule, ...]
    room: int
    """How many more runs may be created."""
    error: str | None
    """What the DAG shows as its error."""
    has_slots: bool
    """Its timetable also creates runs: then the error is that of its timetable."""
    answered: AnsweredQueue | None = None
    """Of a DAG with a partition mapper of an author: what it said."""

    @property
    def shown_error(self) -> str | None:
        """What the DAG shows from now on: without slots it has no other errors than those of its partition mappers."""
        if self.has_slots:
            return self.error
        return None if self.answered is None else self.answered.error


class AssetRunCreator:
    """The DAGs to look at, and the creation of their runs in bounded rounds."""

    def __init__(
        self,
        db: Database,
        engine_state: EngineState,
        scheduler_id: str,
        new_id: Callable[[], str],
        partition_keys_max: int = PARTITION_KEYS_MAX,
        host: TimetableHost | None = None,
    ) -> None:
        """`partition_keys_max`: most partitions of one event. `host`: calls partition mappers of authors."""
        self._questions = AuthorPartitionQuestions(db, engine_state, host, partition_keys_max)
        self._partition_keys_max = partition_keys_max
        self._db = db
        self._engine_state = engine_state
        self._scheduler_id = scheduler_id
        self._new_id = new_id
        self._pending: dict[int, None] = {}
        self._due: list[_Candidate] = []
        """DAGs whose condition held in the store, for which no run was created yet."""

    def enqueue(self, dag_pks: Iterable[int]) -> None:
        """Looks at these DAGs in the next call of `create_runs`; DAGs that no asset schedules are ignored."""
        for dag_pk in dag_pks:
            dag = self._engine_state.dags.get(dag_pk)
            if dag is not None and dag.graph.spec.asset_condition is not None:
                self._pending[dag_pk] = None

    def reset(self) -> None:
        """Forgets all DAGs after the engine state was dropped; the load enqueues them again."""
        self._pending, self._due = {}, []
        self._questions.reset()

    def has_work(self) -> bool:
        """True when `create_runs` is to be called again at once."""
        return bool(self._pending or self._due)

    def wake_at(self, now: Instant) -> Instant | None:
        """When to call `create_runs` for answers of partition mappers, or to ask one again; None if nothing is asked."""
        return self._questions.wake_at(now)

    def create_runs(self, now: Instant) -> list[RunRecord]:
        """Creates at most ASSET_RUNS_MAX queued runs in one transaction, which consume a bounded number of events, and returns them.

        Raises FencedError if this scheduler was fenced.
        """
        answered, ask_again = self._questions.collect(now)
        if answered:
            self._add_answered(answered)
        self.enqueue(ask_again)
        if self._pending:
            self._find_due()
        if not self._due:
            return []
        self._due.sort(key=lambda candidate: candidate.dag_pk)  # one order of locks
        try:
            created = self._create_runs_of_dags(self._due[:ASSET_RUNS_MAX], now)
        except Exception as failure:
            if not is_isolable(failure, self._db):
                raise
            created = [
                run
                for candidate in self._due[:ASSET_RUNS_MAX]
                for run in self._create_runs_or_record_error(candidate, now)
            ]
        for run in created:
            _log.info("asset_run_created", dag_id=self._engine_state.dags[run.dag_pk].record.dag_id, run_id=run.run_id)
        return created

    def _create_runs_of_dags(self, candidates: list[_Candidate], now: Instant) -> list[RunRecord]:
        """The runs of the first of these DAGs, in one transaction. What was looked at is no longer due."""
        created: list[RunRecord] = []
        again: list[int] = []
        consumed = looked_at = 0
        with self._db.scheduler_write(self._scheduler_id) as tx:
            for candidate in candidates:
                looked_at += 1
                runs, event_count = self._create_runs_of_dag(tx, candidate, now)
                if runs:
                    created += runs
                    again.append(candidate.dag_pk)  # a long queue makes another run
                consumed += event_count
                if consumed >= MAX_CONSUMED_EVENTS:
                    break
        done = {candidate.dag_pk for candidate in candidates[:looked_at]}
        self._apply_errors(candidates[:looked_at])
        self._due = [candidate for candidate in self._due if candidate.dag_pk not in done]
        self.enqueue(again)
        return created

    def _create_runs_or_record_error(self, candidate: _Candidate, now: Instant) -> list[RunRecord]:
        """The runs of one DAG, after the transaction of several has failed. If it fails alone, the DAG shows the error until its next event."""
        try:
            return self._create_runs_of_dags([candidate], now)
        except Exception as failure:
            if not is_isolable(failure, self._db):
                raise
            what = describe_failure(failure, [], stores_nul=False)
            error = render(say("asset_run_cannot_be_created", reason=what))
        _log.error("asset_runs_refused", dag_id=self._engine_state.dags[candidate.dag_pk].record.dag_id, error=error)
        with self._db.scheduler_write(self._scheduler_id) as tx:
            tx.send("commit.set_dag_error", dag_pk=candidate.dag_pk, error=error)
        self._engine_state.dags[candidate.dag_pk].record.error = error
        self._due = [due for due in self._due if due.dag_pk != candidate.dag_pk]
        return []

    def _create_runs_of_dag(self, tx: Transaction, candidate: _Candidate, now: Instant) -> tuple[list[RunRecord], int]:
        """The runs that were created, and the number of events that they consume; of partitions, the number of runs."""
        answered = candidate.answered
        if candidate.shown_error != candidate.error:
            tx.send("commit.set_dag_error", dag_pk=candidate.dag_pk, error=candidate.shown_error)
        if candidate.partition_rules:
            runs = create_partition_runs(
                tx,
                candidate.dag_pk,
                candidate.condition,
                candidate.partition_rules,
                candidate.version_pk,
                now,
                self._new_id,
                room=candidate.room,
                max_keys=self._partition_keys_max,
                answers=None if answered is None else answered.answers,
            )
            return runs, len(runs)
        created = create_asset_run(tx, candidate.dag_pk, candidate.condition, candidate.version_pk, now, self._new_id)
        return ([], 0) if created is None else ([created[0]], created[1])

    def _find_due(self) -> None:
        """Moves the DAGs whose condition holds in the store from `_pending` to `_due`; at most ASSET_DAGS_MAX are looked at.

        A partition mapper of an author is asked first: its DAG is due when the answer has arrived.
        """
        looked_at = list(self._pending)[:ASSET_DAGS_MAX]
        candidates = [candidate for candidate in map(self._candidate, looked_at) if candidate is not None]
        if candidates:
            with self._db.read() as tx:
                satisfied = find_satisfied_leaves(
                    tx, [(candidate.dag_pk, candidate.condition) for candidate in candidates]
                )
            due_pks = {candidate.dag_pk for candidate in self._due}
            for candidate in candidates:
                if candidate.dag_pk in due_pks:
                    continue
                if self._may_be_due(candidate, satisfied.get(candidate.dag_pk, set())):
                    self._add_due(candidate)
                elif candidate.partition_rules and candidate.error is not None:
                    # nothing waits for the mapper that failed
                    self._due.append(
                        candidate._replace(answered=AnsweredQueue(candidate.version_pk, PartitionAnswers(), None))
                    )
        for dag_pk in looked_at:
            del self._pending[dag_pk]

    def _add_due(self, candidate: _Candidate) -> None:
        if not list_rule_classes(candidate.partition_rules):
            self._due.append(candidate)
            return
        refused = self._questions.ask(self._engine_state.dags[candidate.dag_pk])
        if refused is not None:
            self._due.append(candidate._replace(answered=refused))

    def _add_answered(self, answered: Mapping[int, AnsweredQueue]) -> None:
        """Makes DAGs due for which something is to be stored. One that has no room any more is looked at again when it has."""
        self._due = [candidate for candidate in self._due if candidate.dag_pk not in answered]
        for dag_pk, answer in answered.items():
            candidate = self._candidate(dag_pk)
            if candidate is not None:
                candidate = candidate._replace(answered=answer)
                if answer.answers.changes_queue or candidate.shown_error != candidate.error:
                    self._due.append(candidate)

    def _apply_errors(self, candidates: Iterable[_Candidate]) -> None:
        """Shows in memory the errors that were stored."""
        for candidate in candidates:
            dag = self._engine_state.dags.get(candidate.dag_pk)
            if dag is not None and candidate.shown_error != candidate.error:
                dag.record.error = candidate.shown_error

    def _candidate(self, dag_pk: int) -> _Candidate | None:
        """The DAG if a run may be created for it; it is looked at again when what prevents that has changed."""
        dag = self._engine_state.dags.get(dag_pk)
        condition = None if dag is None else dag.graph.spec.asset_condition
        if dag is None or condition is None or dag.hold_reason is not None or dag.record.dependency_error is not None:
            return None
        room, spec = _compute_room(dag), dag.graph.spec
        if room <= 0:
            return None
        return _Candidate(
            dag_pk,
            condition,
            dag.graph.version_pk,
            spec.partition_rules,
            room,
            dag.record.error,
            spec.timetable.can_be_scheduled,
        )

    def _may_be_due(self, candidate: _Candidate, satisfied: Collection[AssetLeaf]) -> bool:
        """Whether a run may be created. For a DAG with partitions, each event is looked at: one that belongs to no run is dropped."""
        return bool(satisfied) if candidate.partition_rules else holds(candidate.condition, satisfied)


def _compute_room(dag: Dag) -> int:
    """How many more runs may be created: further events wait in the queue, and share the next run unless they are of partitions."""
    unfinished = sum(run.record.state not in FINISHED_RUN_STATES and run.backfill is None for run in dag.runs.values())
    return active_runs_limit(dag) - unfinished
