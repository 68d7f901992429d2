"""Deadlines of a DAG: `DAG(deadline=DeadlineAlert(reference, interval, callback))`."""

from __future__ import annotations

import datetime as dt
from typing import Any, NamedTuple

from gnomon.authoring.sdk.arguments import timezone
from gnomon.authoring.sdk.connections.variable import Variable
from gnomon.authoring.sdk.runtime.callback_definitions import AsyncCallback, Callback, SyncCallback
from gnomon.model.instants import add_span, to_instant
from gnomon.model.run_callbacks import DeadlineSpec

REFERENCE_TYPE_FIELD = "reference_type"
DEFAULT_AVERAGE_RUNS = 10
AVERAGE_RUNS_MAX = 1_000_000
"""The largest number of runs whose average counts."""


class BaseDeadlineReference:
    """The instant from which the interval of a deadline counts.

    A subclass of an author defines `_evaluate_with(self, *, session, dag_id, run_id, ...)`, which returns an aware datetime, or None
    for no deadline. It is called in a process on a worker when a run is created. `session` is None: a task process has no database.
    """

    required_kwargs: frozenset[str] | set[str] = frozenset()
    """Names of the arguments of `_evaluate_with` beside `session`: of dag_id, run_id, logical_date, queued_at, run_after."""

    @property
    def reference_name(self) -> str:
        """The name of the class."""
        return type(self).__name__

    def serialize_reference(self) -> dict[str, Any]:
        """The name of the class, and in subclasses the values of its fields."""
        return {REFERENCE_TYPE_FIELD: self.reference_name}

    @classmethod
    def deserialize_reference(cls, reference_data: dict[str, Any]) -> BaseDeadlineReference:  # noqa: ARG003 - Airflow's signature
        """A reference of this class. Gnomon evaluates the reference of the DAG file itself, and does not call this method."""
        return cls()

    def _evaluate_with(self, *, session: Any = None, **kwargs: Any) -> dt.datetime | None:
        raise NotImplementedError(
            f"{self.reference_name} has no _evaluate_with(); define it, or use a reference of DeadlineReference"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BaseDeadlineReference):
            return NotImplemented
        return self.serialize_reference() == other.serialize_reference()

    def __hash__(self) -> int:
        return hash(self.reference_name)


class DagRunLogicalDateDeadline(BaseDeadlineReference):
    """The logical date of the run; a run without one has no deadline."""


class DagRunQueuedAtDeadline(BaseDeadlineReference):
    """The moment at which the run was queued."""


class FixedDatetimeDeadline(BaseDeadlineReference):
    """A fixed moment; a datetime without a zone is read in [core] default_timezone."""

    def __init__(self, _datetime: dt.datetime) -> None:
        if not isinstance(_datetime, dt.datetime):
            raise TypeError(f"DeadlineReference.FIXED_DATETIME needs a datetime, not {_datetime!r}")
        self._datetime = (
            _datetime if _datetime.utcoffset() is not None else timezone.make_aware(_datetime, timezone.default_zone())
        )

    def serialize_reference(self) -> dict[str, Any]:
        return {**super().serialize_reference(), "datetime": self._datetime.timestamp()}


class AverageRuntimeDeadline(BaseDeadlineReference):
    """The creation of the run plus the average duration of the last `max_runs` ended runs; no deadline before `min_runs` have ended."""

    DEFAULT_LIMIT = DEFAULT_AVERAGE_RUNS

    def __init__(self, max_runs: int = DEFAULT_AVERAGE_RUNS, min_runs: int | None = None) -> None:
        self.max_runs = max_runs
        self.min_runs = max_runs if min_runs is None else min_runs
        for name, value in (("max_runs", self.max_runs), ("min_runs", self.min_runs)):
            if not isinstance(value, int) or isinstance(value, bool):
                raise TypeError(f"{name} must be a whole number, and is {value!r}")
        if self.min_runs < 1:
            raise ValueError(f"min_runs must be at least 1, and is {self.min_runs}")
        if not max(self.max_runs, self.min_runs) <= AVERAGE_RUNS_MAX:
            raise ValueError(f"max_runs and min_runs must be at most {AVERAGE_RUNS_MAX}")

    def serialize_reference(self) -> dict[str, Any]:
        return {**super().serialize_reference(), "max_runs": self.max_runs, "min_runs": self.min_runs}


class VariableInterval(NamedTuple):
    """An interval in seconds that the Variable `key` has when a run is created."""

    key: str

    def resolve(self) -> dt.timedelta:
        """The value of the Variable as a span. Raises ValueError when it is no number."""
        text = Variable.get(self.key)
        try:
            return dt.timedelta(seconds=float(text))
        except (TypeError, ValueError, OverflowError):
            raise ValueError(
                f"VariableInterval({self.key!r}): the Variable is {text!r}; set it to a number of seconds"
            ) from None


class DeadlineAlert:
    """A deadline: `reference` plus `interval`, and the callback when a run has not ended by then. Raises ValueError."""

    def __init__(
        self,
        reference: BaseDeadlineReference,
        interval: dt.timedelta | VariableInterval,
        callback: Callback,
        name: str | None = None,
    ) -> None:
        if not isinstance(callback, AsyncCallback | SyncCallback):
            raise ValueError(
                f"callback={callback!r} of a DeadlineAlert is no AsyncCallback or SyncCallback; wrap the function: SyncCallback(function)"
            )
        if not isinstance(reference, BaseDeadlineReference):
            raise ValueError(
                f"reference={reference!r} of a DeadlineAlert is no reference; use one of DeadlineReference"
            )
        if not isinstance(interval, dt.timedelta | VariableInterval):
            raise ValueError(f"interval={interval!r} of a DeadlineAlert is no timedelta or VariableInterval")
        self.reference = reference
        self.interval = interval
        self.callback = callback
        self.name = name

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DeadlineAlert):
            return NotImplemented
        mine, theirs = ((type(alert.reference), alert.interval, alert.callback) for alert in (self, other))
        return mine == theirs

    def __hash__(self) -> int:
        return hash((type(self.reference), self.interval, self.callback))

    def compute_deadline(self, moments: dict[str, Any]) -> dt.datetime | None:
        """The deadline of a run by the author's code; `moments` are the arguments that a reference may ask for.

        For references whose instant the scheduler does not compute itself. Raises what the author's code raises, and TypeError for
        a moment without a zone.
        """
        reference = self.reference
        base = _BASE_NAMES.get(type(reference))
        if base is not None:
            moment = moments[base]
        elif isinstance(reference, FixedDatetimeDeadline):
            moment = reference._datetime
        else:
            arguments = {name: moments[name] for name in reference.required_kwargs}
            moment = reference._evaluate_with(session=None, **arguments)
        if moment is None:
            return None
        if not isinstance(moment, dt.datetime) or moment.utcoffset() is None:
            raise TypeError(f"{reference.reference_name} gave {moment!r}; return a datetime with a time zone, or None")
        span = self.interval.resolve() if isinstance(self.interval, VariableInterval) else self.interval
        return add_span(moment, span)


_BASE_NAMES: dict[type, str] = {DagRunLogicalDateDeadline: "logical_date", DagRunQueuedAtDeadline: "queued_at"}


class DeadlineReference:
    """The references of deadlines."""

    class TYPES:
        """When the instant of a reference is computed: both are computed when the run is created, and `DAGRUN_QUEUED` again after a clear."""

        DAGRUN_CREATED: tuple[type[BaseDeadlineReference], ...] = (
            DagRunLogicalDateDeadline,
            FixedDatetimeDeadline,
            AverageRuntimeDeadline,
        )
        DAGRUN_QUEUED: tuple[type[BaseDeadlineReference], ...] = (DagRunQueuedAtDeadline,)
        DAGRUN: tuple[type[BaseDeadlineReference], ...] = DAGRUN_CREATED + DAGRUN_QUEUED

    DAGRUN_LOGICAL_DATE: BaseDeadlineReference = DagRunLogicalDateDeadline()
    DAGRUN_QUEUED_AT: BaseDeadlineReference = DagRunQueuedAtDeadline()

    @classmethod
    def AVERAGE_RUNTIME(cls, max_runs: int = 0, min_runs: int | None = None) -> BaseDeadlineReference:  # noqa: N802 - Airflow's name
        """The average duration of the last runs; `max_runs` 0: of the last ten."""
        return AverageRuntimeDeadline(max_runs or DEFAULT_AVERAGE_RUNS, min_runs)

    @classmethod
    def FIXED_DATETIME(cls, dt: dt.datetime) -> BaseDeadlineReference:  # noqa: N802 - Airflow's name
        """A fixed moment."""
        return FixedDatetimeDeadline(dt)

    @classmethod
    def register_custom_reference(
        cls,
        reference_class: type[BaseDeadlineReference],
        deadline_reference_type: tuple[type[BaseDeadlineReference], ...] | None = None,
    ) -> type[BaseDeadlineReference]:
        """Make an object of the class an attribute of DeadlineReference, under the name of the class; returns the class.

        Raises ValueError for another class, and TypeError for one that needs arguments.
        """
        if not (isinstance(reference_class, type) and issubclass(reference_class, BaseDeadlineReference)):
            raise ValueError(
                f"{getattr(reference_class, '__name__', reference_class)} must inherit from BaseDeadlineReference"
            )
        group = "DAGRUN_CREATED"
        if deadline_reference_type is not None and deadline_reference_type is not cls.TYPES.DAGRUN_CREATED:
            if deadline_reference_type is not cls.TYPES.DAGRUN_QUEUED:
                raise ValueError(
                    f"Invalid deadline reference type {deadline_reference_type}; it must be one of DeadlineReference.TYPES"
                )
            group = "DAGRUN_QUEUED"
        try:
            reference = reference_class()
        except TypeError as error:
            raise TypeError(
                f"{reference_class.__name__} must be constructible with no arguments; give each a default value ({error})"
            ) from error
        setattr(cls, reference_class.__name__, reference)
        setattr(cls.TYPES, group, (*getattr(cls.TYPES, group), reference_class))
        cls.TYPES.DAGRUN = cls.TYPES.DAGRUN_CREATED + cls.TYPES.DAGRUN_QUEUED
        return reference_class


def deadline_reference(
    deadline_reference_type: type[BaseDeadlineReference] | tuple[type[BaseDeadlineReference], ...] | None = None,
) -> Any:
    """A decorator that registers a class of an author, with or without parentheses (`register_custom_reference`)."""
    if isinstance(deadline_reference_type, type):
        return DeadlineReference.register_custom_reference(deadline_reference_type)

    def register(reference_class: type[BaseDeadlineReference]) -> type[BaseDeadlineReference]:
        return DeadlineReference.register_custom_reference(reference_class, deadline_reference_type)

    return register


def list_deadlines(name: str, value: Any) -> list[DeadlineAlert]:
    """The deadlines of the argument of a DAG: one DeadlineAlert or several. Raises TypeError."""
    alerts = list(value) if isinstance(value, list | tuple) else [value]
    for alert in alerts:
        if not isinstance(alert, DeadlineAlert):
            raise TypeError(f"{name}={alert!r} is no DeadlineAlert; give a DeadlineAlert or a list of them")
        if isinstance(alert.reference, AverageRuntimeDeadline) and isinstance(alert.interval, VariableInterval):
            raise TypeError(
                f"{name}: AVERAGE_RUNTIME cannot be used with a VariableInterval; give a timedelta as interval"
            )
    return alerts


def encode_deadline(alert: DeadlineAlert) -> DeadlineSpec:
    """The deadline as the spec of the DAG has it."""
    reference, interval = alert.reference, alert.interval
    executor = getattr(alert.callback, "executor", None)
    if isinstance(interval, VariableInterval):
        return DeadlineSpec(reference="author", name=alert.name, callback=alert.callback.path, executor=executor)
    fields: dict[str, Any] = {
        "name": alert.name,
        "callback": alert.callback.path,
        "executor": executor,
        "interval_s": interval.total_seconds(),
    }
    if type(reference) in _BASE_NAMES:
        return DeadlineSpec(reference=_BASE_NAMES[type(reference)], **fields)
    if isinstance(reference, FixedDatetimeDeadline):
        return DeadlineSpec(reference="fixed", at=to_instant(reference._datetime), **fields)
    if isinstance(reference, AverageRuntimeDeadline):
        return DeadlineSpec(
            reference="average_runtime", max_runs=reference.max_runs, min_runs=reference.min_runs, **fields
        )
    return DeadlineSpec(reference="author", **fields)
