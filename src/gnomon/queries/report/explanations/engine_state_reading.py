"""The engine state that explanations evaluate the rules on: the one that a scheduler would load if it owned the groups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from gnomon.ground.config import Config, read_executors
from gnomon.model.executors import CELERY_EXECUTOR, LOCAL_EXECUTOR, SLOTS_UNBOUND
from gnomon.model.ids import GROUPS
from gnomon.model.records import REMOTE_ADDRESS, RunRecord
from gnomon.queries.report.explanations.attempt_wait import describe_message_waits
from gnomon.queries.report.listings import process_health
from gnomon.rules.engine.handlers.group_loading import load_groups
from gnomon.rules.engine.lifecycle.run_lifecycle import attach_run
from gnomon.rules.engine.state.engine_state import EngineLimits, EngineState, KeptGraphs
from gnomon.storage.store import Transaction
from gnomon.storage.store.coordination import remote_attempts
from gnomon.storage.store.cross_dag import run_waits
from gnomon.storage.store.ownership import group_state


@contextmanager
def load_engine_state(
    tx: Transaction,
    limits: EngineLimits,
    run: RunRecord | None = None,
    *,
    dag_pk: int | None = None,
    groups: Iterable[int] = range(GROUPS),
    graphs: KeptGraphs | None = None,
) -> Iterator[EngineState]:
    """The state of a scheduler that owned these groups, with the DAGs that have unfinished runs; until the end of the block.

    `run` is in it even if it waits in the store for its turn in a backfill, and the DAG `dag_pk` even if it has no unfinished run. With all groups it
    has all attempts that use a limit. `graphs`: those of DAGs that were read before, which a caller keeps.
    """
    engine_state = EngineState(limits)
    engine_state.graphs = graphs
    _add_workers(tx, engine_state)
    dag_pks = [key for key in (dag_pk, None if run is None else run.dag_pk) if key is not None]
    load_groups(engine_state, group_state.load_busy_groups(tx, groups, dag_pks), {})
    engine_state.update_pools(group_state.load_pools(tx))
    dag = None if run is None else engine_state.dags.get(run.dag_pk)
    if run is not None and dag is not None and run.run_pk not in engine_state.runs:
        attach_run(
            engine_state,
            dag,
            run,
            group_state.load_tasks(tx, [run.run_pk]),
            run_waits.load_run_waits(tx, [run.run_pk]).get(run.run_pk, ()),
        )
    try:
        yield engine_state
    finally:
        engine_state.release()


def build_limits(cfg: Config) -> EngineLimits:
    """The limits of all DAGs together, as the schedulers of this configuration have them."""
    return EngineLimits(
        parallelism=cfg.integer("core", "parallelism") or None,
        queued_timeout_s=cfg.number("scheduler", "task_queued_timeout"),
        executors=read_executors(cfg),
    )


def _add_workers(tx: Transaction, engine_state: EngineState) -> None:
    """Add the workers of the configured executors: those that are alive of the LocalExecutor, and one for each other executor."""
    executors = engine_state.limits.executors
    is_local_used = executors is None or LOCAL_EXECUTOR in executors
    for worker in process_health.list_live_workers(tx):
        if is_local_used and not worker.address.startswith(REMOTE_ADDRESS):
            engine_state.add_worker(worker.worker_id, worker.slots)
    for executor in () if executors is None else executors.executors:
        if executor.name != LOCAL_EXECUTOR:
            engine_state.add_worker(executor.name, engine_state.limits.parallelism or SLOTS_UNBOUND)
    engine_state.claims.update(remote_attempts.list_claiming_workers(tx))
    if executors is not None and CELERY_EXECUTOR in executors:
        engine_state.message_waits.update(
            describe_message_waits(tx, engine_state.claims, engine_state.limits.queued_timeout_s)
        )
