"""Creates the runs of DAGs that are scheduled by assets (CROSS_DAG in docs/discussions/ownership.md).

A DAG is looked at when mail says that an event is in its queue, when one of its runs has ended, and when it was read: it was
loaded, edited, unpaused or its error was resolved. The queue in the store decides, so a DAG that is looked at for nothing costs
one lookup, and an event that arrives while a run is created makes the next run.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from gnomon import log
from gnomon.assets.conditions import holds
from gnomon.engine.lifecycle.run_lifecycle import active_runs_limit
from gnomon.engine.state.engine_state import EngineState
from gnomon.engine.state.task_instance import Dag
from gnomon.model.assets import AssetCondition, AssetLeaf, PartitionRule
from gnomon.model.instants import Instant
from gnomon.model.records import RunRecord
from gnomon.model.states import FINISHED_RUN_STATES
from gnomon.scheduler.settings import ASSET_DAGS_MAX, ASSET_RUNS_MAX, PARTITION_KEYS_MAX
from gnomon.store import Database, Transaction
from gnomon.store.asset_records.asset_queue import MAX_CONSUMED_EVENTS, create_asset_run, find_satisfied_leaves
from gnomon.store.asset_records.partition_runs import create_partition_runs

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


class AssetRunCreator:
    """The DAGs to look at, and the creation of their runs in bounded rounds."""

    def __init__(self, db: Database, memory: EngineState, scheduler_id: str, new_id: Callable[[], str], partition_keys_max: int = PARTITION_KEYS_MAX) -> None:
        """`partition_keys_max`: most partitions of one event."""
        self._partition_keys_max = partition_keys_max
        self._db = db
        self._memory = memory
        self._scheduler_id = scheduler_id
        self._new_id = new_id
        self._pending: dict[int, None] = {}
        self._due: list[_Candidate] = []
        """DAGs whose condition held in the store, for which no run was created yet."""

    def enqueue(self, dag_pks: Iterable[int]) -> None:
        """Looks at these DAGs in the next call of `create_runs`; DAGs that no asset schedules are ignored."""
        for dag_pk in dag_pks:
            dag = self._memory.dags.get(dag_pk)
            if dag is not None and dag.graph.spec.asset_condition is not None:
                self._pending[dag_pk] = None

    def reset(self) -> None:
        """Forgets all DAGs after the engine state was dropped; the load enqueues them again."""
        self._pending, self._due = {}, []

    def has_work(self) -> bool:
        """True when `create_runs` is to be called again at once."""
        return bool(self._pending or self._due)

    def create_runs(self, now: Instant) -> list[RunRecord]:
        """Creates at most ASSET_RUNS_MAX queued runs in one transaction, which consume a bounded number of events, and returns them.

        Raises FencedError if this scheduler was fenced.
        """
        if self._pending:
            self._find_due()
        if not self._due:
            return []
        created: list[RunRecord] = []
        consumed = looked_at = 0
        self._due.sort(key=lambda candidate: candidate.dag_pk)  # one order of locks
        with self._db.scheduler_write(self._scheduler_id) as tx:
            for candidate in self._due[:ASSET_RUNS_MAX]:
                looked_at += 1
                runs, event_count = self._create_runs_of_dag(tx, candidate, now)
                if runs:
                    created += runs
                    self._pending[candidate.dag_pk] = None  # a long queue makes another run
                consumed += event_count
                if consumed >= MAX_CONSUMED_EVENTS:
                    break
        del self._due[:looked_at]
        for run in created:
            _log.info("asset_run_created", dag_id=self._memory.dags[run.dag_pk].record.dag_id, run_id=run.run_id)
        return created

    def _create_runs_of_dag(self, tx: Transaction, candidate: _Candidate, now: Instant) -> tuple[list[RunRecord], int]:
        """The runs that were created, and the number of events that they consume; of partitions, the number of runs."""
        if candidate.partition_rules:
            runs = create_partition_runs(
                tx, candidate.dag_pk, candidate.condition, candidate.partition_rules, candidate.version_pk, now, self._new_id, room=candidate.room,
                max_keys=self._partition_keys_max,
            )
            return runs, len(runs)
        made = create_asset_run(tx, candidate.dag_pk, candidate.condition, candidate.version_pk, now, self._new_id)
        return ([], 0) if made is None else ([made[0]], made[1])

    def _find_due(self) -> None:
        """Moves the DAGs whose condition holds in the store from `_pending` to `_due`; at most ASSET_DAGS_MAX are looked at."""
        looked_at = list(self._pending)[:ASSET_DAGS_MAX]
        candidates = [candidate for candidate in map(self._candidate, looked_at) if candidate is not None]
        if candidates:
            with self._db.read() as tx:
                satisfied = find_satisfied_leaves(tx, [(one.dag_pk, one.condition) for one in candidates])
            known = {candidate.dag_pk for candidate in self._due}
            self._due += [one for one in candidates if one.dag_pk not in known and self._may_be_due(one, satisfied.get(one.dag_pk, set()))]
        for dag_pk in looked_at:
            del self._pending[dag_pk]

    def _candidate(self, dag_pk: int) -> _Candidate | None:
        """The DAG if a run may be created for it; it is looked at again when what prevents that has changed."""
        dag = self._memory.dags.get(dag_pk)
        condition = None if dag is None else dag.graph.spec.asset_condition
        if dag is None or condition is None or dag.hold_reason is not None or dag.record.dependency_error is not None:
            return None
        room = _compute_room(dag)
        return _Candidate(dag_pk, condition, dag.graph.version_pk, dag.graph.spec.partition_rules, room) if room > 0 else None

    def _may_be_due(self, candidate: _Candidate, satisfied: Collection[AssetLeaf]) -> bool:
        """Whether a run may be created. For a DAG with partitions, each event is looked at: one that belongs to no run is dropped."""
        return bool(satisfied) if candidate.partition_rules else holds(candidate.condition, satisfied)


def _compute_room(dag: Dag) -> int:
    """How many more runs may be created: further events wait in the queue, and share the next run unless they are of partitions."""
    unfinished = sum(run.record.state not in FINISHED_RUN_STATES and run.backfill is None for run in dag.runs.values())
    return active_runs_limit(dag) - unfinished
