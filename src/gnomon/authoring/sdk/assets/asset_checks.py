"""Checks of the assets of a DAG: circles, and what has no effect here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from gnomon.authoring.sdk.arguments.code_location import format_location
from gnomon.authoring.sdk.assets.asset import Asset, AssetAccessControl, BaseAsset
from gnomon.authoring.sdk.assets.asset_plain_data import to_condition, to_leaves
from gnomon.model.assets import AliasKey
from gnomon.model.unchecked_sentences import say_unchecked
from gnomon.rules.assets.conditions import describe_leaf, iter_leaves

if TYPE_CHECKING:
    from gnomon.authoring.sdk.nodes.node_types import DagNode, TaskNode


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
            _warn_no_assets(dag, task, argument, values)
    for value in named:
        for _, asset in value.iter_assets() if isinstance(value, BaseAsset) else ():
            _warn_without_effect(dag, asset)


def _warn_no_assets(dag: DagNode, task: TaskNode, name: str, values: Iterable[object]) -> None:
    for value in values:
        if not isinstance(value, BaseAsset):
            text = repr(value)
            sentence = say_unchecked(
                "argument_holds_no_asset",
                name=name,
                value=text,
                class_path=type(value).__name__,
                hint=say_unchecked("write_asset", value=text)
                if isinstance(value, str)
                else say_unchecked("give_assets"),
            )
            place = format_location(task._location)
            dag.warn(say_unchecked("warning_of_task_in_dag", task_id=task.task_id, place=place, message=sentence))


def _warn_circle(dag: DagNode, condition: BaseAsset) -> None:
    leaves = set(iter_leaves(to_condition(condition)))
    for task in dag.tasks:
        for leaf in to_leaves(task.outlets):
            if leaf in leaves and not isinstance(leaf, AliasKey):
                dag.warn(
                    say_unchecked(
                        "task_writes_asset_of_schedule",
                        subject_text=f"{task.task_id!r}{format_location(task._location)}",
                        names=describe_leaf(leaf),
                    )
                )


def _warn_without_effect(dag: DagNode, asset: Asset) -> None:
    if asset.access_control != AssetAccessControl():
        subject_text = f"{asset.name!r}{format_location(asset._location)}"
        dag.warn(say_unchecked("access_control_of_asset_is_idle", subject_text=subject_text))
