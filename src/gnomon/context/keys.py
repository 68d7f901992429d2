"""The keys of the template context: airflow-surface.md A.6, and those that Airflow 2 had besides.

Each is a function of the `Source`. Keys in `DATED` are there only for a run that has a logical date.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gnomon.context import accessors
from gnomon.context.configuration import conf
from gnomon.context.dag_run import DagRun
from gnomon.context.neighbours import next_logical_date, previous_logical_date
from gnomon.context.refused import NotYet
from gnomon.context.run_params import params_of
from gnomon.context.task_instance import TaskInstance
from gnomon.sdk import macros
from gnomon.sdk.template_filters import FILTERS

if TYPE_CHECKING:
    import pendulum


@dataclass
class Source:
    """What the values of one context are made from."""

    dag: Any
    ti: TaskInstance

    @property
    def task(self) -> Any:
        return self.ti.task

    @property
    def run(self) -> DagRun:
        return self.ti.dag_run

    @property
    def date(self) -> pendulum.DateTime:
        """The logical date; asked for by keys that exist only when there is one."""
        date = self.run.logical_date
        assert date is not None
        return date

    @cached_property
    def previous_success(self) -> DagRun | None:
        """The newest earlier run that succeeded: one question for all keys about it."""
        return self.ti.get_previous_dagrun("success")

    @cached_property
    def next_date(self) -> pendulum.DateTime | None:
        return next_logical_date(self.dag, self.run)

    @cached_property
    def previous_date(self) -> pendulum.DateTime | None:
        return previous_logical_date(self.dag, self.run)


def _filtered(name: str, value: Any) -> str | None:
    return None if value is None else str(FILTERS[name](value))


def _of_previous(attribute: str) -> Callable[[Source], Any]:
    return lambda s: getattr(s.previous_success, attribute, None)


def _absent(name: str, feature: str) -> Callable[[Source], Any]:
    return lambda _: NotYet(name, feature)


Keys = dict[str, Callable[[Source], Any]]

PLAIN: Keys = {
    "conn": lambda _: accessors.ConnectionAccessor(),
    "dag": lambda s: s.dag,
    "dag_run": lambda s: s.run,
    "data_interval_start": lambda s: s.run.data_interval_start,
    "data_interval_end": lambda s: s.run.data_interval_end,
    "expanded_ti_count": lambda _: None,
    "inlets": lambda s: s.task.inlets,
    "macros": lambda _: macros,
    "map_index_template": lambda s: s.task.map_index_template,
    "outlets": lambda s: s.task.outlets,
    "params": lambda s: params_of(s.dag, s.task, s.run.conf),
    "partition_key": lambda s: s.run.partition_key,
    "partition_date": lambda s: s.run.partition_date,
    "prev_data_interval_start_success": _of_previous("data_interval_start"),
    "prev_data_interval_end_success": _of_previous("data_interval_end"),
    "prev_start_date_success": _of_previous("start_date"),
    "prev_end_date_success": _of_previous("end_date"),
    "run_id": lambda s: s.run.run_id,
    "task": lambda s: s.task,
    "task_instance": lambda s: s.ti,
    "task_reschedule_count": lambda _: 0,
    "templates_dict": lambda _: None,
    "test_mode": lambda s: s.ti.test_mode,
    "ti": lambda s: s.ti,
    "triggering_asset_events": lambda _: {},
    "try_number": lambda s: s.ti.try_number,
    "var": lambda _: accessors.variables(),
    # Later features
    "inlet_events": _absent("inlet_events", "asset events"),
    "outlet_events": _absent("outlet_events", "asset events"),
    "task_state_store": _absent("task_state_store", "task state stores"),
    "asset_state_store": _absent("asset_state_store", "asset state stores"),
    # Airflow 2
    "conf": lambda _: conf,
    "prev_execution_date_success": _of_previous("logical_date"),
    "triggering_dataset_events": lambda _: {},
}

DATED: Keys = {
    "logical_date": lambda s: s.date,
    "ds": lambda s: _filtered("ds", s.date),
    "ds_nodash": lambda s: _filtered("ds_nodash", s.date),
    "ts": lambda s: _filtered("ts", s.date),
    "ts_nodash": lambda s: _filtered("ts_nodash", s.date),
    "ts_nodash_with_tz": lambda s: _filtered("ts_nodash_with_tz", s.date),
    "task_instance_key_str": lambda s: f"{s.ti.dag_id}__{s.ti.task_id}__{_filtered('ds_nodash', s.date)}",
    # Airflow 2
    "execution_date": lambda s: s.date,
    "next_execution_date": lambda s: s.next_date,
    "next_ds": lambda s: _filtered("ds", s.next_date),
    "next_ds_nodash": lambda s: _filtered("ds_nodash", s.next_date),
    "prev_execution_date": lambda s: s.previous_date,
    "prev_ds": lambda s: _filtered("ds", s.previous_date),
    "prev_ds_nodash": lambda s: _filtered("ds_nodash", s.previous_date),
    "yesterday_ds": lambda s: _filtered("ds", s.date - timedelta(days=1)),
    "yesterday_ds_nodash": lambda s: _filtered("ds_nodash", s.date - timedelta(days=1)),
    "tomorrow_ds": lambda s: _filtered("ds", s.date + timedelta(days=1)),
    "tomorrow_ds_nodash": lambda s: _filtered("ds_nodash", s.date + timedelta(days=1)),
}

UNDATED: Keys = {
    "task_instance_key_str": lambda s: f"{s.ti.dag_id}__{s.ti.task_id}__{s.run.run_id}",
}

COSTLY = frozenset({
    "prev_data_interval_start_success", "prev_data_interval_end_success", "prev_start_date_success",
    "prev_end_date_success", "prev_execution_date_success",
    "next_execution_date", "next_ds", "next_ds_nodash", "prev_execution_date", "prev_ds", "prev_ds_nodash",
})
"""They ask the server, or the timetable, which may be an author's: a task that does not look at them pays nothing."""

WITH_DATE: Keys = {**PLAIN, **DATED}
WITHOUT_DATE: Keys = {**PLAIN, **UNDATED}
