"""Schedules by assets: the timetable of `schedule=[...]`, and AssetOrTimeSchedule."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gnomon.authoring.sdk.arguments.code_location import find_author_location, format_location
from gnomon.authoring.sdk.assets.asset import AssetAll, AssetBooleanCondition, BaseAsset
from gnomon.model.errors.authoring import AirflowTimetableInvalid
from gnomon.model.slots import DagRunInfo, DataInterval, TimeRestriction
from gnomon.rules.timetables.base import Timetable
from gnomon.rules.timetables.simple_timetables import NullTimetable

if TYPE_CHECKING:
    from gnomon.model.sentences import Sentence


def parse_asset_condition(schedule: Any) -> BaseAsset | None:
    """Return the condition of a schedule by assets (a list means all of them); None for another schedule."""
    if isinstance(schedule, BaseAsset):
        return schedule
    if (
        isinstance(schedule, list | tuple | set)
        and schedule
        and all(isinstance(asset, BaseAsset) for asset in schedule)
    ):
        return AssetAll(*schedule)
    return None


def describe_wrong_asset(schedule: Sequence[Any]) -> str:
    """What is wrong with a list that `parse_asset_condition` refuses, and the remedy."""
    for item in schedule:
        if not isinstance(item, BaseAsset):
            hint = f" Write Asset({item!r})." if isinstance(item, str) else ""
            return f"a schedule that is a list takes assets, and {item!r} ({type(item).__name__}) is none.{hint}"
    return "the schedule is an empty list, so that the DAG would never run: give it an asset, or None for runs by hand"


class AssetTriggeredTimetable(NullTimetable):
    """Has no slots: asset events create the runs. `schedule=[...]` makes it."""

    def __init__(self, assets: Any) -> None:
        self.asset_condition: Any = require_condition(assets, "AssetTriggeredTimetable")

    def summarize(self) -> Sentence:
        from gnomon.model.sentences import say

        return say("asset")

    def describe(self) -> Sentence:
        from gnomon.model.sentences import say

        return say("triggered_by_assets")


class AssetOrTimeSchedule(Timetable):
    """Runs of a timetable, and runs that asset events create. The timetable decides about data intervals."""

    def __init__(self, *, timetable: Any, assets: Any) -> None:
        self.asset_condition: Any = require_condition(assets, "AssetOrTimeSchedule")
        if isinstance(timetable, AssetTriggeredTimetable | AssetOrTimeSchedule):
            raise AirflowTimetableInvalid(
                f"AssetOrTimeSchedule{format_location(find_author_location())} takes a timetable of times, not {type(timetable).__name__}. "
                "Give the assets to assets=, and to timetable= one such as CronTriggerTimetable('0 6 * * *', timezone='UTC')."
            )
        if not hasattr(timetable, "next_dagrun_info"):
            raise AirflowTimetableInvalid(
                f"AssetOrTimeSchedule{format_location(find_author_location())} takes a timetable, not {timetable!r} "
                f"({type(timetable).__name__}). Write timetable=CronTriggerTimetable('0 6 * * *', timezone='UTC')."
            )
        self.timetable = timetable
        self.periodic = timetable.periodic
        self.can_be_scheduled = timetable.can_be_scheduled
        self.active_runs_limit = timetable.active_runs_limit

    @cached_property
    def summary(self) -> str:
        """The timetable of times in a few words, and the assets."""
        from gnomon.model.sentences import quote, render, say  # words are for readers: a DAG file has none

        return render(say("asset_or_schedule", schedule=quote(self.timetable.summary)))

    @cached_property
    def description(self) -> str:  # type: ignore[override]
        """The timetable of times as a sentence, and the assets."""
        from gnomon.model.sentences import quote, render, say

        return render(say("triggered_by_assets_or_schedule", schedule=quote(self.timetable.description)))

    def validate(self) -> None:
        """Check the timetable of times. Raises AirflowTimetableInvalid."""
        self.timetable.validate()

    def infer_manual_data_interval(self, *, run_after: Any) -> DataInterval:
        interval: DataInterval = self.timetable.infer_manual_data_interval(run_after=run_after)
        return interval

    def next_dagrun_info(
        self, *, last_automated_data_interval: DataInterval | None, restriction: TimeRestriction
    ) -> DagRunInfo | None:
        info: DagRunInfo | None = self.timetable.next_dagrun_info(
            last_automated_data_interval=last_automated_data_interval, restriction=restriction
        )
        return info


class DatasetOrTimeSchedule(AssetOrTimeSchedule):
    """AssetOrTimeSchedule under its name of Airflow 2."""

    def __init__(self, *, timetable: Any, datasets: Any) -> None:
        super().__init__(timetable=timetable, assets=datasets)


def require_condition(assets: Any, what: str) -> BaseAsset:
    """Return the condition of the argument. Raises AirflowTimetableInvalid when it has no asset."""
    condition = parse_asset_condition(assets)
    if condition is None:
        raise AirflowTimetableInvalid(
            f"{what}{format_location(find_author_location())} takes an asset, a condition or a list of assets, not {assets!r} ({type(assets).__name__})."
        )
    if isinstance(condition, AssetBooleanCondition) and not any(True for _ in iter_parts(condition)):
        raise AirflowTimetableInvalid(
            f"{what}{format_location(find_author_location())}: the condition has no asset, so it would never hold."
        )
    return condition


def iter_parts(condition: BaseAsset) -> Any:
    """Yield the assets, aliases and references of the condition from left to right."""
    if isinstance(condition, AssetBooleanCondition):
        for part in condition.objects:
            yield from iter_parts(part)
    else:
        yield condition
