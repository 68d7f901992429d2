"""The keys of the template context: those of airflow-surface.md A.6, and those of Airflow 2.

Each value is a function of the `ContextSource`. The keys in `DATED_VARIABLES` exist only in a run with a logical date.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gnomon.author_code.context import template_accessors
from gnomon.author_code.context.airflow_configuration import conf
from gnomon.author_code.context.asset_event_accessors import InletEventsAccessors, TriggeringAssetEventsAccessor
from gnomon.author_code.context.runtime_dag_run import RuntimeDagRun
from gnomon.author_code.context.runtime_task_instance import RuntimeTaskInstance
from gnomon.author_code.context.template_dates import find_next_logical_date, find_previous_logical_date
from gnomon.authoring.sdk.arguments.params import ParamsDict
from gnomon.authoring.sdk.templating import macros
from gnomon.authoring.sdk.templating.template_filters import FILTERS
from gnomon.ground.config import current_config
from gnomon.ground.config.values import to_boolean

if TYPE_CHECKING:
    import pendulum


@dataclass
class ContextSource:
    """The objects from which the values of a context are computed."""

    dag: Any
    ti: RuntimeTaskInstance

    @property
    def task(self) -> Any:
        return self.ti.task

    @property
    def run(self) -> RuntimeDagRun:
        return self.ti.dag_run

    @property
    def date(self) -> pendulum.DateTime:
        """The logical date, for keys that exist only in a run with a logical date."""
        date = self.run.logical_date
        assert date is not None
        return date

    @cached_property
    def previous_success(self) -> RuntimeDagRun | None:
        """The newest earlier run that succeeded; one request serves all keys about it."""
        return self.ti.get_previous_dagrun("success")

    @cached_property
    def next_date(self) -> pendulum.DateTime | None:
        return find_next_logical_date(self.dag, self.run)

    @cached_property
    def previous_date(self) -> pendulum.DateTime | None:
        return find_previous_logical_date(self.dag, self.run)


def _apply_filter(name: str, value: Any) -> str | None:
    return None if value is None else str(FILTERS[name](value))


def _read_previous(attribute: str) -> Callable[[ContextSource], Any]:
    return lambda s: getattr(s.previous_success, attribute, None)


VariableTable = dict[str, Callable[[ContextSource], Any]]

COMMON_VARIABLES: VariableTable = {
    "asset_state_store": lambda s: s.ti.asset_state_store,
    "conn": lambda _: template_accessors.ConnectionAccessor(),
    "dag": lambda s: s.dag,
    "dag_run": lambda s: s.run,
    "data_interval_start": lambda s: s.run.data_interval_start,
    "data_interval_end": lambda s: s.run.data_interval_end,
    "expanded_ti_count": lambda s: s.ti.expanded_ti_count,
    "inlet_events": lambda s: InletEventsAccessors(s.task.inlets, s.ti._channel),
    "inlets": lambda s: s.task.inlets,
    "macros": lambda _: macros,
    "map_index_template": lambda s: s.task.map_index_template,
    "outlet_events": lambda s: s.ti.outlet_events,
    "outlets": lambda s: s.task.outlets,
    "params": lambda s: resolve_params(s.dag, s.task, s.run.conf),
    "partition_key": lambda s: s.run.partition_key,
    "partition_date": lambda s: s.run.partition_date,
    "prev_data_interval_start_success": _read_previous("data_interval_start"),
    "prev_data_interval_end_success": _read_previous("data_interval_end"),
    "prev_start_date_success": _read_previous("start_date"),
    "prev_end_date_success": _read_previous("end_date"),
    "run_id": lambda s: s.run.run_id,
    "task": lambda s: s.task,
    "task_instance": lambda s: s.ti,
    "task_reschedule_count": lambda _: 0,
    "task_state_store": lambda s: s.ti.task_state_store,
    "templates_dict": lambda _: None,
    "test_mode": lambda s: s.ti.test_mode,
    "ti": lambda s: s.ti,
    "triggering_asset_events": lambda s: TriggeringAssetEventsAccessor(s.run.consumed_asset_events),
    "try_number": lambda s: s.ti.try_number,
    "var": lambda _: template_accessors.make_variable_accessors(),
    # Airflow 2
    "conf": lambda _: conf,
    "prev_execution_date_success": _read_previous("logical_date"),
    "triggering_dataset_events": lambda s: TriggeringAssetEventsAccessor(s.run.consumed_asset_events),
}

DATED_VARIABLES: VariableTable = {
    "logical_date": lambda s: s.date,
    "ds": lambda s: _apply_filter("ds", s.date),
    "ds_nodash": lambda s: _apply_filter("ds_nodash", s.date),
    "ts": lambda s: _apply_filter("ts", s.date),
    "ts_nodash": lambda s: _apply_filter("ts_nodash", s.date),
    "ts_nodash_with_tz": lambda s: _apply_filter("ts_nodash_with_tz", s.date),
    "task_instance_key_str": lambda s: f"{s.ti.dag_id}__{s.ti.task_id}__{_apply_filter('ds_nodash', s.date)}",
    # Airflow 2
    "execution_date": lambda s: s.date,
    "next_execution_date": lambda s: s.next_date,
    "next_ds": lambda s: _apply_filter("ds", s.next_date),
    "next_ds_nodash": lambda s: _apply_filter("ds_nodash", s.next_date),
    "prev_execution_date": lambda s: s.previous_date,
    "prev_ds": lambda s: _apply_filter("ds", s.previous_date),
    "prev_ds_nodash": lambda s: _apply_filter("ds_nodash", s.previous_date),
    "yesterday_ds": lambda s: _apply_filter("ds", s.date - timedelta(days=1)),
    "yesterday_ds_nodash": lambda s: _apply_filter("ds_nodash", s.date - timedelta(days=1)),
    "tomorrow_ds": lambda s: _apply_filter("ds", s.date + timedelta(days=1)),
    "tomorrow_ds_nodash": lambda s: _apply_filter("ds_nodash", s.date + timedelta(days=1)),
}

UNDATED_VARIABLES: VariableTable = {
    "task_instance_key_str": lambda s: f"{s.ti.dag_id}__{s.ti.task_id}__{s.run.run_id}",
}

COSTLY_VARIABLES = frozenset(
    {
        "prev_data_interval_start_success",
        "prev_data_interval_end_success",
        "prev_start_date_success",
        "prev_end_date_success",
        "prev_execution_date_success",
        "triggering_asset_events",
        "triggering_dataset_events",
        "next_execution_date",
        "next_ds",
        "next_ds_nodash",
        "prev_execution_date",
        "prev_ds",
        "prev_ds_nodash",
    }
)
"""Keys whose values need a request to the server or a call of the timetable. They are computed only when they are read."""

VARIABLES_WITH_DATE: VariableTable = {**COMMON_VARIABLES, **DATED_VARIABLES}
VARIABLES_WITHOUT_DATE: VariableTable = {**COMMON_VARIABLES, **UNDATED_VARIABLES}


def resolve_params(dag: Any, task: Any, conf: Mapping[str, Any]) -> Any:
    """Return the params of the DAG, overridden by those of the task and then by the conf of the run, as checked values.

    The conf is used if `[core] dag_run_conf_overrides_params` is true. Raises ParamValidationError.
    """
    params = ParamsDict()
    params.update(dag.params)
    if task.params:
        params.update(task.params)
    if conf and _conf_overrides_params():
        params.update(dict(conf))
    return params.validate()


def _conf_overrides_params() -> bool:
    return to_boolean(str(current_config().get("core", "dag_run_conf_overrides_params", fallback="True")))
