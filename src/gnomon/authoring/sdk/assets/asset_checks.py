"""Checks of the assets of a DAG: circles, and what has no effect here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from gnomon.authoring.sdk.arguments.code_location import format_location
from gnomon.authoring.sdk.assets.asset import Asset, AssetAccessControl, BaseAsset
from gnomon.authoring.sdk.assets.asset_plain_data import to_condition, to_leaves
from gnomon.model.assets import AliasKey
from gnomon.rules.assets.conditions import describe_leaf, iter_leaves

if TYPE_CHECKING:
    from gnomon.authoring.sdk.nodes.node_types import DagNode


def find_timetable_of_times(timetable: Any) -> Any:
    """Return the timetable that an AssetOrTimeSchedule contains, else the timetable itself."""
    inner = getattr(timetable, "timetable", None)
    return inner if inner is not None and getattr(timetable, "asset_condition", None) is not None else timetable


def check_assets(dag: DagNode) -> None:
    """Warn about a task that writes an asset by which its own DAG is scheduled, and about arguments of assets without effect."""
    condition = getattr(dag.timetable, "asset_condition", None)
    named = [value for task in dag.tasks for value in (*task.inlets, *task.outlets)]
    if isinstance(condition, BaseAsset):
        named.append(condition)
        _warn_circle(dag, condition)
    for task in dag.tasks:
        for argument, values in (("inlets", task.inlets), ("outlets", task.outlets)):
            _warn_no_assets(dag, f"task {task.task_id!r}{format_location(task._location)}: {argument}=", values)
    for value in named:
        for _, asset in value.iter_assets() if isinstance(value, BaseAsset) else ():
            _warn_without_effect(dag, asset)


def _warn_no_assets(dag: DagNode, what: str, values: Iterable[object]) -> None:
    for value in values:
        if not isinstance(value, BaseAsset):
            hint = f"Write Asset({value!r})." if isinstance(value, str) else "Give assets, or leave it out."
            dag.warn(f"{what} has {value!r} ({type(value).__name__}), which is no asset and has no effect. {hint}")


def _warn_circle(dag: DagNode, condition: BaseAsset) -> None:
    leaves = set(iter_leaves(to_condition(condition)))
    for task in dag.tasks:
        for leaf in to_leaves(task.outlets):
            if leaf in leaves and not isinstance(leaf, AliasKey):
                dag.warn(
                    f"task {task.task_id!r}{format_location(task._location)} writes {describe_leaf(leaf)}, by which the DAG is scheduled: each "
                    "run can create the next one without end. Remove the asset from the outlets or from the schedule."
                )


def _warn_without_effect(dag: DagNode, asset: Asset) -> None:
    where = f"asset {asset.name!r}{format_location(asset._location)}"
    if asset.access_control != AssetAccessControl():
        dag.warn(f"{where}: access_control= has no effect, because Gnomon has no teams.")
