"""The stored form of timetables, and back. Timetables of authors are only stored here; `gnomon.author_code.timetable_host` builds them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from gnomon.model.errors.error_text import describe_error
from gnomon.model.errors.timetable import AirflowTimetableInvalid, TimetableNotBuilt
from gnomon.model.slots import TimetableRef
from gnomon.rules.timetables.base import BuiltinTimetable, Timetable

_PACKAGE = "gnomon.rules.timetables"
_MODULES = {
    "NullTimetable": "simple_timetables",
    "OnceTimetable": "simple_timetables",
    "ContinuousTimetable": "simple_timetables",
    "CronTriggerTimetable": "trigger_timetables",
    "DeltaTriggerTimetable": "trigger_timetables",
    "MultipleCronTriggerTimetable": "multiple_crons",
    "CronPartitionTimetable": "partition_timetables",
    "PartitionedAtRuntime": "partition_timetables",
    "CronDataIntervalTimetable": "interval_timetables",
    "DeltaDataIntervalTimetable": "interval_timetables",
    "EventsTimetable": "event_timetable",
    "Minutely": "periods.intraday_periods",
    "Hourly": "periods.intraday_periods",
    "DiscreteHours": "periods.intraday_periods",
    "Daily": "periods.day_periods",
    "Weekly": "periods.day_periods",
    "Monthly": "periods.day_periods",
    "BusinessDays": "business_days",
}
BUILTINS = tuple(_MODULES)
"""The class names of the built-in timetables."""


def is_builtin(timetable: Timetable) -> bool:
    """Whether the class is one of Gnomon's; False for an author's, also when it extends one of these."""
    cls = type(timetable)
    return cls.__module__.startswith(f"{_PACKAGE}.") and cls.__name__ in _MODULES


def reference(timetable: Timetable) -> TimetableRef:
    """The stored form of a timetable: a built-in by its class name, an author's by module and class name."""
    cls = type(timetable)
    builtin = is_builtin(timetable)
    return TimetableRef(
        path=cls.__name__ if builtin else f"{cls.__module__}.{cls.__qualname__}",
        data=_data(timetable),
        summary="" if builtin else str(timetable.summary or cls.__name__),
        description="" if builtin else str(timetable.description or ""),
        can_be_scheduled=timetable.can_be_scheduled,
        periodic=timetable.periodic,
        active_runs_limit=timetable.active_runs_limit,
        builtin=builtin,
        has_partitions=timetable.partitioned or timetable.partitioned_at_runtime,
    )


def build(ref: TimetableRef) -> BuiltinTimetable:
    """The built-in timetable of a stored form, under its class name or a dotted path of Airflow that ends with it.

    Raises TimetableNotBuilt (a PlanningError) for an author's class, and for data that the class does not accept.
    """
    name = ref.builtin_name
    if name is None or name not in _MODULES:
        raise TimetableNotBuilt(
            f"timetable {ref.path!r} is none of the built-in ones ({', '.join(BUILTINS)}); an author's class "
            "only runs in a timetable host (gnomon.author_code.timetable_host)"
        )
    cls: type[BuiltinTimetable] = getattr(import_module(f"{_PACKAGE}.{_MODULES[name]}"), name)
    try:
        return cls.deserialize(ref.data)
    except (KeyError, TypeError, ValueError, AirflowTimetableInvalid) as error:
        raise TimetableNotBuilt(
            f"timetable {name} cannot be read from {ref.data!r} ({describe_error(error)}); "
            "correct the schedule, or save the DAG file, so that it is parsed again"
        ) from error


def _data(timetable: Timetable) -> dict[str, Any]:
    data = timetable.serialize()
    if not isinstance(data, dict):
        raise AirflowTimetableInvalid(
            f"{type(timetable).__name__}.serialize() returned {type(data).__name__}; return a dict of JSON values"
        )
    return data
