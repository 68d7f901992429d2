"""Asset events of a task that succeeds: they are recorded in the transaction that records the success."""

from __future__ import annotations

from gnomon.model.assets import AssetEmission, AssetKey, NewAssetEvent
from gnomon.rules.engine.state.task_instance import TaskInstance
from gnomon.rules.engine.step_context import StepContext


def record_asset_events(
    context: StepContext,
    ti: TaskInstance,
    attempt_id: str | None = None,
    emissions: tuple[AssetEmission, ...] | None = None,
) -> None:
    """Record the events of a success.

    `emissions`: the events that the attempt asked for; None: one for each asset among the outlets of the task's spec.
    `attempt_id`: the attempt that succeeded, which makes the events unique; None: the task needed none.
    """
    if emissions is None:
        if not ti.task.outlets:
            return
        emissions = tuple(
            AssetEmission(asset=leaf) for leaf in dict.fromkeys(ti.task.outlets) if isinstance(leaf, AssetKey)
        )
    if not emissions:
        return
    source = attempt_id or context.new_id()
    run = ti.run
    context.changes.asset_events += [
        NewAssetEvent(
            uid=f"{source}:{number}",
            asset=emission.asset,
            at=context.now,
            extra=emission.extra,
            aliases=emission.aliases,
            source_dag_id=run.dag.record.dag_id,
            source_task_id=ti.task.task_id,
            source_run_id=run.record.run_id,
            source_map_index=ti.map_index,
            partition_key=emission.partition_key if emission.partition_key is not None else run.record.partition_key,
        )
        for number, emission in enumerate(emissions)
    ]
