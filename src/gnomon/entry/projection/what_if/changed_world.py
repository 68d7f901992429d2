"""The present state with the changes of a scenario, as if they were made at the instant at which it was read."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from gnomon.changes.scenarios.changed_dags import change_dags
from gnomon.changes.scenarios.scenario_changes import Change, find, select
from gnomon.entry.projection.projected_worker import WORKER_ID
from gnomon.entry.projection.snapshot import Snapshot
from gnomon.entry.projection.what_if.changed_times import TimeChanges
from gnomon.model.records import DagRecord, WorkerRecord
from gnomon.model.sentences import Sentence, say
from gnomon.model.spec import DagSpec
from gnomon.rules.dependencies.faults import errors_of
from gnomon.rules.dependencies.shape import shape_of
from gnomon.services.scheduler.settings import SchedulerSettings


@dataclass(frozen=True)
class World:
    """A state that goes on."""

    snapshot: Snapshot
    settings: SchedulerSettings
    times: TimeChanges

    @property
    def specs(self) -> dict[str, DagSpec]:
        """The DAGs by id."""
        return {dag.dag_id: dag.spec for dag in self.snapshot.state.dags if dag.active}

    @property
    def pools(self) -> dict[str, int]:
        """The slots of the pools; negative: without a limit."""
        return {pool.name: pool.slots for pool in self.snapshot.pools}

    @property
    def worker_slots(self) -> int:
        """How many tasks run at once in all."""
        slots = sum(worker.slots for worker in self.snapshot.workers) or self.settings.limits.parallelism or 1_000
        return min(slots, self.settings.limits.parallelism or slots)


def change_world(world: World, changes: Sequence[Change]) -> World:
    """The world with the changes, whose names must be known. Raises UserError for a schedule that is none."""
    snapshot, settings = world.snapshot, world.settings
    frozen = {change.name for change in changes if change.key == "freeze"}
    schedules = [change for change in changes if change.key == "schedule"]
    dags = _reschedule(snapshot.state.dags, schedules)
    dags = [replace(dag, paused=True) if dag.dag_id in frozen else dag for dag in dags]
    slots = select(changes, "pool")
    parallelism = find(changes, "parallelism", None)
    return World(
        replace(
            snapshot,
            state=replace(snapshot.state, dags=dags),
            pools=[replace(pool, slots=slots.get(pool.name, pool.slots)) for pool in snapshot.pools],
            workers=_add_slots(snapshot.workers, parallelism),
            graphs={},
        ),
        settings
        if parallelism is None
        else replace(settings, limits=replace(settings.limits, parallelism=parallelism)),
        TimeChanges(
            durations=select(changes, "set"),
            lengths=select(changes, "length"),
            failing=frozenset(select(changes, "fail")),
            delays_s=select(changes, "delay"),
        ),
    )


def list_idle_changes(world: World, changes: Sequence[Change]) -> list[Sentence]:
    """Sentences about changes of DAGs that are paused, which therefore change nothing."""
    paused = {dag.dag_id for dag in world.snapshot.state.dags if dag.paused}
    named = {
        dag_id
        for change in changes
        if change.key != "expect"
        for dag_id in paused
        if change.name == dag_id or change.name.startswith(f"{dag_id}.")
    }
    return [say("scenario_changes_paused_dag", dag=dag_id) for dag_id in sorted(named)]


def _reschedule(dags: Sequence[DagRecord], schedules: Collection[Change]) -> list[DagRecord]:
    """The DAGs with other schedules, as a scheduler reads them whose files were edited; a schedule of cron texts, not of assets."""
    if not schedules:
        return list(dags)
    names = {change.name for change in schedules}
    specs: Mapping[str, DagSpec] = {
        spec.dag_id: spec
        for spec, _ in change_dags([(dag.spec, dag.file) for dag in dags if dag.dag_id in names], schedules)
    }
    changed = [replace(dag, spec=specs[dag.dag_id]) if dag.dag_id in specs else dag for dag in dags]
    before, errors = (
        errors_of({dag.dag_id: shape_of(dag.spec) for dag in each if dag.active}) for each in (dags, changed)
    )
    return [
        dag
        if before.get(dag.dag_id) == errors.get(dag.dag_id)  # one about assets stays
        else replace(dag, dependency_error=errors.get(dag.dag_id))
        for dag in changed
    ]


def _add_slots(workers: list[WorkerRecord], parallelism: int | None) -> list[WorkerRecord]:
    """The workers, and one more if all together have fewer slots than tasks are to run at once."""
    missing = 0 if parallelism is None else parallelism - sum(worker.slots for worker in workers)
    if not workers or missing <= 0:
        return workers
    return [*workers, replace(workers[0], worker_id=WORKER_ID, slots=missing)]
