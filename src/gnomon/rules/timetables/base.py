"""The protocol `Timetable`, which authors subclass, and `BuiltinTimetable`, the pure base class of Gnomon's own.

Names and signatures are Airflow's (`airflow.timetables.base`; airflow-surface.md B.1).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable

from gnomon.model.slots import DagRunInfo, DataInterval, TimeRestriction
from gnomon.rules.timetables import system_time
from gnomon.rules.timetables.wall_clock.zones import to_utc

if TYPE_CHECKING:
    from gnomon.model.sentences import Sentence
    from gnomon.rules.timetables.granularity import Granularity


@runtime_checkable
class Timetable(Protocol):
    """When runs are due, and their data intervals. Subclass it and define the two methods that raise NotImplementedError."""

    description: str = ""
    """A sentence for display; may be a class attribute, an instance attribute or a property."""
    periodic: bool = True
    """True if there is a sequence of slots that a backfill can fill."""
    can_be_scheduled: bool = True
    run_ordering: Sequence[str] = ("data_interval_end", "logical_date")
    active_runs_limit: int | None = None
    """Most active runs, whatever the DAG allows; None: no limit of the timetable."""
    asset_condition: object = None
    granularity: Granularity | None = None
    """The granularity for dependencies between DAGs; None: `day` for at most one slot per day, else `hour`."""
    follows_runs: bool = False
    """True if a slot is known only after the previous run has finished (`@continuous`)."""
    partitioned: bool = False
    """True if each of its runs is of one partition, whose key is known when the run is planned."""
    partitioned_at_runtime: bool = False
    """True if tasks say while they run to which partitions their asset events belong."""

    @cached_property
    def summary(self) -> str:
        """The schedule in listings; may be a class attribute, an instance attribute or a property."""
        return type(self).__name__

    @property
    def type_name(self) -> str:
        """The name of the class."""
        return type(self).__name__

    def infer_manual_data_interval(self, *, run_after: datetime) -> DataInterval:
        """The data interval of a manual run that is started at `run_after`."""
        raise NotImplementedError(
            f"{type(self).__name__} lacks infer_manual_data_interval(self, *, run_after) -> DataInterval; define it"
        )

    def next_dagrun_info(
        self, *, last_automated_data_interval: DataInterval | None, restriction: TimeRestriction
    ) -> DagRunInfo | None:
        """The run after the last scheduled (not manual) one; None: there are no more runs."""
        raise NotImplementedError(
            f"{type(self).__name__} lacks next_dagrun_info(self, *, last_automated_data_interval, restriction) "
            "-> DagRunInfo | None; define it"
        )

    def next_dagrun_info_v2(
        self, *, last_dagrun_info: DagRunInfo | None, restriction: TimeRestriction
    ) -> DagRunInfo | None:
        """As `next_dagrun_info`, with the whole DagRunInfo of the last run. Takes precedence if an author defines it."""
        interval = None if last_dagrun_info is None else last_dagrun_info.data_interval
        return self.next_dagrun_info(last_automated_data_interval=interval, restriction=restriction)

    def run_info_from_dag_run(self, *, dag_run: Any) -> DagRunInfo:
        """The DagRunInfo of an existing run."""
        start, end = dag_run.data_interval_start, dag_run.data_interval_end
        interval = None if start is None or end is None else DataInterval(start, end)
        return DagRunInfo(dag_run.run_after, interval)

    def next_run_info_from_dag_model(self, *, dag_model: Any) -> DagRunInfo | None:
        """The DagRunInfo of the stored next run of a DAG; None if it has no next run."""
        if dag_model.next_dagrun_create_after is None:
            return None
        return DagRunInfo(dag_model.next_dagrun_create_after, dag_model.next_dagrun_data_interval)

    def plan_next(self, last: DagRunInfo | None, restriction: TimeRestriction, now: datetime) -> DagRunInfo | None:
        """The run after `last` at the present `now`. Planning calls this method; authors define `next_dagrun_info` instead."""
        interval = last.data_interval if last is not None else None
        return self.next_dagrun_info(last_automated_data_interval=interval, restriction=restriction)

    def resolve_partition_date(self, partition_key: str | None) -> datetime | None:
        """The start (aware) of the period that a partition key names; None when it names none. Raises InvalidPartitionKeyError."""
        if partition_key is None or not self.partitioned or self.partitioned_at_runtime:
            return None
        return self._decode_partition_date(partition_key)

    def _decode_partition_date(self, partition_key: str) -> datetime | None:
        return None

    def serialize(self) -> dict[str, Any]:
        """JSON data from which `deserialize` makes an equal timetable."""
        return {}

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> Self:  # noqa: ARG003
        """The timetable whose `serialize` returned `data`."""
        return cls()

    def validate(self) -> None:
        """Raises AirflowTimetableInvalid if the arguments contradict one another."""
        return

    def generate_run_id(
        self,
        *,
        run_type: Any,
        run_after: datetime | None = None,
        data_interval: DataInterval | None = None,
        logical_date: datetime | None = None,
        **extra: Any,
    ) -> str:
        """The run id: the run type and `run_after`, or the logical date if the caller has only that."""
        moment = run_after if run_after is not None else logical_date
        if moment is None:
            raise TypeError("generate_run_id() needs run_after= or logical_date=")
        return f"{getattr(run_type, 'value', run_type)}__{to_utc(moment).isoformat()}"


class BuiltinTimetable(Timetable):
    """A timetable of Gnomon: pure, with `now` as an argument. All instants that it returns are UTC."""

    @abstractmethod
    def plan_next(self, last: DagRunInfo | None, restriction: TimeRestriction, now: datetime) -> DagRunInfo | None:
        """The run after `last` at the present `now`; None if there are no more runs."""

    @abstractmethod
    def infer_manual(self, run_after: datetime) -> DataInterval:
        """The data interval of a manual run that is started at `run_after` (UTC)."""

    def summarize(self) -> Sentence:
        """The schedule in a few words, for listings."""
        from gnomon.rules.timetables.words.short_words import summarize  # words are for readers: a DAG file has none

        return summarize(*self._stored_form())

    def describe(self) -> Sentence | None:
        """The schedule as a sentence; None where there is none."""
        from gnomon.rules.timetables.words.long_words import describe

        return describe(*self._stored_form())

    @cached_property
    def summary(self) -> str:
        from gnomon.model.sentences import render

        return render(self.summarize())

    @cached_property
    def description(self) -> str:  # type: ignore[override]
        from gnomon.model.sentences import render

        sentence = self.describe()
        return "" if sentence is None else render(sentence)

    def _stored_form(self) -> tuple[str, dict[str, Any]]:
        """The name of the built-in class, and what its `serialize` returns; an author's class that extends it may have other data."""
        cls = next(
            cls
            for cls in type(self).__mro__
            if issubclass(cls, BuiltinTimetable) and cls.__module__.startswith(f"{__package__}.")
        )
        return cls.__name__, cls.serialize(self)

    def slots_between(self, start: datetime, end: datetime) -> Iterator[datetime]:
        """The slots from `start` (inclusive) to `end` (exclusive), as with catchup, in order."""
        yield from ()

    def infer_manual_data_interval(self, *, run_after: datetime) -> DataInterval:
        return self.infer_manual(to_utc(run_after))

    def next_dagrun_info(
        self, *, last_automated_data_interval: DataInterval | None, restriction: TimeRestriction
    ) -> DagRunInfo | None:
        info = None
        if last_automated_data_interval is not None:
            start, end = last_automated_data_interval
            start, end = to_utc(start), to_utc(end)
            info = DagRunInfo(end, DataInterval(start, end))
        return self.plan_next(info, restriction_in_utc(restriction), system_time.now())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BuiltinTimetable):
            return NotImplemented
        return type(self) is type(other) and self.serialize() == other.serialize()

    def __hash__(self) -> int:
        return hash((type(self).__name__, repr(self.serialize())))

    def __repr__(self) -> str:
        arguments = ", ".join(f"{key}={value!r}" for key, value in self.serialize().items())
        return f"{type(self).__name__}({arguments})"


def restriction_in_utc(restriction: TimeRestriction) -> TimeRestriction:
    """The restriction with standard-library instants in UTC."""
    earliest = None if restriction.earliest is None else to_utc(restriction.earliest)
    latest = None if restriction.latest is None else to_utc(restriction.latest)
    if earliest is restriction.earliest and latest is restriction.latest:
        return restriction
    return TimeRestriction(earliest, latest, restriction.catchup)


class SteppingTimetable(BuiltinTimetable):
    """A timetable whose slots are a sequence of instants."""

    @abstractmethod
    def _next(self, moment: datetime) -> datetime | None:
        """The first instant after `moment`."""

    @abstractmethod
    def _align_up(self, moment: datetime) -> datetime | None:
        """The first instant that is not before `moment`."""

    @abstractmethod
    def _align_down(self, moment: datetime) -> datetime | None:
        """The last instant that is not after `moment`."""
