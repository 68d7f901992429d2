"""The DAGs of a scenario: those of the files, without the frozen ones and with other schedules."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec.structs import replace

from gnomon.authoring.sdk.arguments.airflow_dialects import AirflowDialect
from gnomon.authoring.sdk.schedules.schedule_argument import (
    build_timetable_ref,
    parse_schedule,
    read_active_runs_limit,
)
from gnomon.changes.scenarios.scenario_changes import Change
from gnomon.model.errors.product import UserError
from gnomon.model.errors.timetable import AirflowTimetableInvalid
from gnomon.model.sentences import quote, say
from gnomon.model.spec import DagSpec
from gnomon.rules.timetables.wall_clock.zones import named_zone

LocatedSpec = tuple[DagSpec, str]
"""A DAG and its file."""


def change_dags(dags: Iterable[LocatedSpec], changes: Collection[Change]) -> list[LocatedSpec]:
    """The DAGs of the scenario. Raises UserError for a schedule that is none."""
    frozen = {change.name for change in changes if change.key == "freeze"}
    schedules = {change.name: change for change in changes if change.key == "schedule"}
    return [
        (_reschedule(spec, schedules[spec.dag_id]) if spec.dag_id in schedules else spec, file)
        for spec, file in dags
        if spec.dag_id not in frozen
    ]


def _reschedule(spec: DagSpec, change: Change) -> DagSpec:
    """The DAG as if its file had that text as its schedule: in its zone, and with its version of Airflow."""
    try:
        timetable = parse_schedule(change.value, named_zone(spec.local_timezone), AirflowDialect(spec.airflow_dialect))
        timetable.validate()
        reference = build_timetable_ref(timetable)
    except (ValueError, AirflowTimetableInvalid) as error:
        raise UserError(
            say("scenario_schedule_is_wrong", option=change.place, name=spec.dag_id, why=quote(str(error)))
        ) from None
    limit = read_active_runs_limit(timetable)
    return replace(
        spec,
        timetable=reference,
        asset_condition=None,
        partition_rules=(),
        max_active_runs=spec.max_active_runs if limit is None else min(limit, spec.max_active_runs),
    )
