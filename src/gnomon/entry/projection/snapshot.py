"""What a projection from now on begins with, read from the store by the code of a take-over; nothing is written."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, replace

import msgspec

from gnomon.entry.projection.memory_runs import KEPT_ENDS
from gnomon.entry.projection.projected_dags import drop_unprojected, list_unprojected, takes_no_time
from gnomon.entry.projection.recorded_models import build_models
from gnomon.model.assets import QueuedAssetEvent
from gnomon.model.ids import GROUPS
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import DagRecord, GroupState, PoolRecord, RunRecord, WorkerRecord
from gnomon.model.sentences import Sentence
from gnomon.model.spec import collect_edges
from gnomon.model.states import DagRunState
from gnomon.rules.durations.duration_model import DurationModel
from gnomon.rules.engine.state.engine_state import KeptGraphs
from gnomon.storage.store import Database, Transaction
from gnomon.storage.store.asset_records import asset_queue
from gnomon.storage.store.coordination import leases
from gnomon.storage.store.dag_records import dag_runs, duration_summaries, upstream_dags
from gnomon.storage.store.ownership import group_state

PAST_SPANS_S = (40 * 86_400, 4 * 86_400, 43_200)
"""How far back slots are read: the first span with fewer than PAST_SLOTS_MAX of them, or the last."""
PAST_SLOTS_MAX = 3_000
TaskPath = tuple[str, str]
"""DAG id and task id."""


@dataclass(frozen=True, slots=True)
class PastSlot:
    """A slot with a run before the projection."""

    at: Instant
    run_id: str
    state: DagRunState
    failed_tasks: frozenset[str] = frozenset()
    """Of the tasks for which other DAGs wait: those that did not succeed in it."""


@dataclass(frozen=True)
class Snapshot:
    """The unfinished part of a deployment, and the history that its models are made of."""

    at: Instant
    state: GroupState
    pools: list[PoolRecord]
    workers: list[WorkerRecord]
    past_slots: dict[int, list[PastSlot]]
    """By dag_pk, for DAGs that others wait for."""
    queued_events: dict[int, list[QueuedAssetEvent]]
    """By dag_pk: events of assets that no run has consumed."""
    models: dict[TaskPath, DurationModel]
    expected_s: dict[TaskPath, float]
    """What DAG files expect of tasks, for those without enough history."""
    graphs: KeptGraphs
    """Graphs of DAGs, compiled by the first sample and used by all."""
    unprojected: list[Sentence]
    """What of the deployment a projection leaves out."""
    newest_ends: dict[int, list[RunRecord]]
    """By dag_pk, newest first: ended runs of DAGs that count failed runs or have deadlines by durations."""
    fresh_summaries: list[tuple[int, str, bytes]]
    """Summaries of durations that the store does not have yet, in the form of `put_summaries`."""

    def copy_state(self) -> GroupState:
        """The state with records of its own, which a projection changes."""
        state = self.state
        return replace(
            state,
            dags=[replace(dag) for dag in state.dags],
            runs=[replace(run) for run in state.runs],
            tasks=[
                replace(task, deferral=None if task.deferral is None else replace(task.deferral))
                for task in state.tasks
            ],
            previous_runs={
                dag_pk: [(replace(run), [replace(task) for task in tasks]) for run, tasks in runs]
                for dag_pk, runs in state.previous_runs.items()
            },
            run_waits={run_pk: [replace(wait) for wait in waits] for run_pk, waits in state.run_waits.items()},
            backfills=[replace(backfill) for backfill in state.backfills],
            callbacks=[],
            deadlines={
                run_pk: [replace(deadline) for deadline in deadlines] for run_pk, deadlines in state.deadlines.items()
            },
        )

    def leave_out(self, dag_pks: Collection[int], pools: list[PoolRecord] | None = None) -> Snapshot:
        """The snapshot without these DAGs and their runs, and with other pools, if they are given."""
        state = self.state
        runs = [run for run in state.runs if run.dag_pk not in dag_pks]
        run_pks = {run.run_pk for run in runs}
        part = replace(
            state,
            dags=[dag for dag in state.dags if dag.dag_pk not in dag_pks],
            runs=runs,
            tasks=[task for task in state.tasks if task.run_pk in run_pks],
        )
        ends = {dag_pk: ends for dag_pk, ends in self.newest_ends.items() if dag_pk not in dag_pks}
        slots = {dag_pk: slots for dag_pk, slots in self.past_slots.items() if dag_pk not in dag_pks}
        return replace(
            self, state=part, newest_ends=ends, past_slots=slots, pools=self.pools if pools is None else pools
        )


def read_snapshot(db: Database, now: Instant) -> Snapshot:
    """The state of all groups in one transaction of the store."""
    with db.read() as tx:
        state = group_state.load_groups(tx, range(GROUPS))
        unprojected = list_unprojected(dag.spec for dag in state.dags if dag.active)
        timeless = {dag.dag_pk for dag in state.dags if takes_no_time(dag.spec)}
        state.dags = [replace(dag, spec=drop_unprojected(dag.spec)) for dag in state.dags]
        histories = _Histories(tx)
        watched: dict[str, set[str]] = defaultdict(set)
        for dependency in (edge.dependency for dag in state.dags for edge in collect_edges(dag.spec)):
            watched[dependency.dag_id] |= set() if dependency.task_id is None else {dependency.task_id}
        return Snapshot(
            now,
            state,
            group_state.load_pools(tx),
            leases.list_workers(tx),
            {dag.dag_pk: _read_slots(tx, dag, watched[dag.dag_id], now) for dag in state.dags if dag.dag_id in watched},
            {
                dag.dag_pk: asset_queue.list_queue(tx, dag.dag_pk)
                for dag in state.dags
                if dag.spec.asset_condition is not None
            },
            {
                key: model
                for dag in state.dags
                if dag.active and not dag.paused and dag.dag_pk not in timeless
                for key, model in histories.find(dag).items()
            },
            {
                (dag.dag_id, task.task_id): task.expected_duration_s
                for dag in state.dags
                for task in dag.spec.tasks
                if task.expected_duration_s is not None
            },
            {},
            unprojected,
            {dag.dag_pk: ends for dag in state.dags if (ends := _read_newest_ends(tx, dag))},
            histories.fresh,
        )


def _read_slots(tx: Transaction, dag: DagRecord, task_ids: set[str], now: Instant) -> list[PastSlot]:
    rows: list[tuple[Instant, str, DagRunState]] = []
    for span_s in PAST_SPANS_S:
        rows = upstream_dags.list_runs_in_slots(tx, dag.dag_pk, now - span_s * SECOND, now + 1, PAST_SLOTS_MAX)
        if len(rows) < PAST_SLOTS_MAX:
            break
    failed: dict[Instant, set[str]] = defaultdict(set)
    for task_id in sorted(task_ids):
        for fact in upstream_dags.load_slot_facts(tx, dag.dag_id, [at for at, _, _ in rows], task_id):
            if fact.outcome == "bad":
                failed[fact.at].add(task_id)
    return [PastSlot(at, run_id, state, frozenset(failed[at])) for at, run_id, state in rows]


def _read_newest_ends(tx: Transaction, dag: DagRecord) -> list[RunRecord]:
    count = max(dag.spec.max_consecutive_failed_dag_runs, KEPT_ENDS if dag.spec.deadlines else 0)
    return dag_runs.list_newest_ended_runs(tx, dag.dag_pk, count) if count else []


class _Histories:
    """The models of tasks, from summaries that are up to date, and from the history where there is none."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx
        self._ends = duration_summaries.list_newest_ends(tx)
        self._summaries = duration_summaries.list_summaries(tx)
        self.fresh: list[tuple[int, str, bytes]] = []
        """Summaries that were made now: dag_pk, key, body."""

    def find(self, dag: DagRecord) -> dict[TaskPath, DurationModel]:
        """The models of the tasks of a DAG."""
        names = {number: task_id for task_id, number in dag.task_numbers.items()}
        return {
            (dag.dag_id, names[number]): model for number, model in self._find_by_number(dag).items() if number in names
        }

    def _find_by_number(self, dag: DagRecord) -> dict[int, DurationModel]:
        key = duration_summaries.build_key(self._ends.get(dag.dag_pk), dag.spec.local_timezone)
        stored_key, body = self._summaries.get(dag.dag_pk, ("", b""))
        if stored_key == key:
            try:
                return duration_summaries.decode_summary(body)
            except msgspec.DecodeError:
                pass  # it is derived: made anew
        models = build_models(self._tx, dag)
        self.fresh.append((dag.dag_pk, key, duration_summaries.encode_summary(models)))
        return models
