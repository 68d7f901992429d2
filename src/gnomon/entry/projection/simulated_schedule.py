"""`SimulatedSchedule`: simulated runs as tests of schedules see them, and the assertions about them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from gnomon.changes.scenarios.expectation import find_subject, read_expectation
from gnomon.entry.projection.expectations import list_violations
from gnomon.entry.projection.run_outcomes import RunOutcome
from gnomon.model.instants import Instant, to_datetime
from gnomon.model.sentences import render
from gnomon.model.spec import DagSpec
from gnomon.rules.calendars.calendar import Calendar
from gnomon.rules.timetables.wall_clock.zones import named_zone

FAULTS_SHOWN = 5
_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)(?: \+(\d) days?)?")
_DONE = ("success", "skipped")


@dataclass(frozen=True)
class ScheduledTask:
    """A task instance of a simulated run. Times are those of the DAG's zone; None: it has not come to that."""

    task_id: str
    map_index: int
    start: datetime | None
    end: datetime | None
    state: str | None
    try_number: int


@dataclass(frozen=True)
class ScheduledRun:
    """A simulated run. Times are those of the DAG's zone; None: it has not come to that."""

    dag_id: str
    run_id: str
    run_type: str
    slot: datetime
    """When it is due."""
    start: datetime | None
    end: datetime | None
    state: str
    tasks: tuple[ScheduledTask, ...]
    waits: tuple[str, ...]
    """Why it has not ended."""

    @property
    def day(self) -> date:
        """The local day on which it is due."""
        return self.slot.date()

    @property
    def duration(self) -> timedelta | None:
        """From its start to its end: the time that passes, also over a clock change."""
        return None if self.start is None or self.end is None else _subtract(self.end, self.start)


@dataclass(frozen=True)
class _Span:
    """A run, or what it has of one task."""

    run: ScheduledRun
    start: datetime | None
    end: datetime | None
    is_done: bool


class SimulatedSchedule:
    """The runs of a simulation. Each `assert_` raises AssertionError with the runs that break it."""

    def __init__(
        self,
        outcomes: Sequence[RunOutcome],
        specs: Mapping[str, DagSpec],
        start: Instant,
        end: Instant,
        assumptions: Iterable[str],
    ) -> None:
        self._outcomes = outcomes
        self._specs = specs
        self._times = (start, end)
        self.start, self.end = to_datetime(start), to_datetime(end)
        self.runs = [_describe(outcome, named_zone(specs[outcome.dag_id].local_timezone)) for outcome in outcomes]
        """By start; those that have not started come last."""
        self.assumptions = list(assumptions)
        """What nobody named, in sentences."""

    def list_runs(self, dag_id: str) -> list[ScheduledRun]:
        """The runs of a DAG by slot. Raises UserError when there is no such DAG."""
        find_subject("list_runs", dag_id, self._specs)
        return sorted((run for run in self.runs if run.dag_id == dag_id), key=lambda run: run.slot)

    def assert_done_by(self, name: str, by: str, *, on: Calendar | Iterable[date] | None = None) -> None:
        """Each run of a DAG (or `dag.task` in it) has succeeded by the local time `07:00`, or `01:30 +1 day` after its day.

        `on`: a calendar, on whose business days, or days, on each of which there must be a run; runs on other days may end at any time.
        None: all runs. Days that the simulation has not from their begin until that time are not judged.
        """
        __tracebackhide__ = True
        dag_id, task_id = find_subject("assert_done_by", name, self._specs)
        zone = named_zone(self._specs[dag_id].local_timezone)
        at, days = _read_clock(by)
        spans: dict[date, list[_Span]] = {}
        for span in self._list_spans(dag_id, task_id):
            spans.setdefault(span.run.day, []).append(span)
        judged = [
            (day, limit)
            for day in self._list_days(on, spans, zone)
            if (limit := datetime.combine(day + timedelta(days=days), at, zone)) <= self.end
            and datetime.combine(day, time(), zone) >= self.start
        ]
        faults = [
            f"{day:%a %Y-%m-%d}: {fault}"
            for day, limit in judged
            for fault in _find_late(spans.get(day, []), limit, is_needed=on is not None)
        ]
        late_days = len({fault[:14] for fault in faults})
        self._check(
            faults, f"{name} is not done by {by} on {late_days} of {len(judged)} days", has_subject=bool(judged)
        )

    def assert_order(self, first: str, second: str) -> None:
        """No run of `second` starts before every run of `first` on the same local day has ended; both are DAGs or `dag.task`."""
        __tracebackhide__ = True
        before = find_subject("assert_order", first, self._specs)
        after = find_subject("assert_order", second, self._specs)
        by_day: dict[date, list[_Span]] = {}
        for span in self._list_spans(*before):
            by_day.setdefault(span.run.day, []).append(span)
        pairs = [(span, other) for span in self._list_spans(*after) for other in by_day.get(span.run.day, ())]
        faults = [
            f"{span.run.day:%a %Y-%m-%d}: {second} starts at {_clock(span.start, span.run.day)}, "
            f"but {first} (due at {other.run.slot:%H:%M}) {_describe_end(other)}"
            for span, other in pairs
            if span.start is not None and (other.end is None or _subtract(span.start, other.end) < timedelta())
        ]
        self._check(faults, f"{second} starts before {first} has ended, {{count}} times", has_subject=bool(pairs))

    def assert_success(self, dag_id: str | None = None) -> None:
        """Each run that has ended, of the DAG or of all, has succeeded."""
        __tracebackhide__ = True
        runs = self.runs if dag_id is None else self.list_runs(dag_id)
        faults = [
            f"{run.dag_id}, due at {run.slot:%a %Y-%m-%d %H:%M}: {run.state}"
            for run in runs
            if run.end is not None and run.state != "success"
        ]
        self._check(faults, "{count} runs do not succeed", has_subject=bool(runs))

    def assert_expectation(self, text: str) -> None:
        """The text as `gnomon simulate --expect` has it: `load.copy takes less than 45m`, `report ends before 07:00`."""
        __tracebackhide__ = True
        expectation = read_expectation(text, self._specs)
        violations = list_violations([expectation], self._outcomes, self._specs, self._times[1])
        faults = [render(violation.sentence) for violation in violations]
        self._check(faults, f"{text!r} is broken {{count}} times", has_subject=True)

    def _check(self, faults: Sequence[str], claim: str, *, has_subject: bool) -> None:
        """Raises AssertionError with the first of the faults."""
        __tracebackhide__ = True
        if not has_subject:
            raise AssertionError(
                f"the assertion says nothing: no day or run between {self.start:%Y-%m-%d %H:%M} and "
                f"{self.end:%Y-%m-%d %H:%M} UTC is judged; simulate more days, or remove it"
            )
        if not faults:
            return
        hidden = len(faults) - FAULTS_SHOWN
        lines = [claim.replace("{count}", str(len(faults))) + ":", *faults[:FAULTS_SHOWN]]
        lines += [f"... and {hidden} more"] if hidden > 0 else []
        raise AssertionError("\n  ".join([*lines, *(f"({assumption})" for assumption in self.assumptions)]))

    def _list_days(self, on: Calendar | Iterable[date] | None, known: Iterable[date], zone: tzinfo) -> list[date]:
        if on is None:
            return sorted(known)
        if isinstance(on, Calendar):
            first, last = self.start.astimezone(zone).date(), self.end.astimezone(zone).date()
            days = (first + timedelta(days=number) for number in range((last - first).days + 1))
            return [day for day in days if on.is_business_day(day)]
        return sorted(on)

    def _list_spans(self, dag_id: str, task_id: str | None) -> Iterator[_Span]:
        for run in self.list_runs(dag_id):
            if task_id is None:
                yield _Span(run, run.start, run.end, run.state == "success")
                continue
            tasks = [task for task in run.tasks if task.task_id == task_id]
            starts = [task.start for task in tasks if task.start is not None]
            ends = [run.end if task.end is None else task.end for task in tasks] or [run.end]
            yield _Span(
                run,
                min(starts, default=None),
                None if None in ends else max(end for end in ends if end is not None),
                bool(tasks) and all(task.state in _DONE for task in tasks),
            )


def _subtract(end: datetime, start: datetime) -> timedelta:
    """The time between both. Datetimes of one zone would be compared by their clock, which a change of the clock sets back."""
    return end.astimezone(UTC) - start.astimezone(UTC)


def _find_late(spans: Sequence[_Span], limit: datetime, *, is_needed: bool) -> Iterator[str]:
    if not spans and is_needed:
        yield "no run is due"
    for span in spans:
        if span.end is None or not span.is_done or _subtract(span.end, limit) > timedelta():
            late = f", {_minutes(_subtract(span.end, limit))} late" if span.end is not None and span.is_done else ""
            yield f"the run due at {span.run.slot:%H:%M} {_describe_end(span)}{late}"


def _describe_end(span: _Span) -> str:
    if span.end is None:
        why = f": {span.run.waits[0]}" if span.run.waits else ""
        return f"has not ended{why}"
    return f"{'ends' if span.is_done else 'does not succeed: it ends'} at {_clock(span.end, span.run.day)}"


def _clock(at: datetime | None, day: date) -> str:
    if at is None:
        return "-"
    return f"{at:%H:%M:%S}" if at.date() == day else f"{at:%H:%M:%S} on {at:%a %Y-%m-%d}"


def _minutes(span: timedelta) -> str:
    seconds = int(span.total_seconds())
    return f"{seconds} s" if seconds < 120 else f"{-(-seconds // 60)} min"


def _read_clock(by: str) -> tuple[time, int]:
    """The time of day, and the number of days after. Raises ValueError."""
    match = _CLOCK.fullmatch(by.strip())
    if match is None:
        raise ValueError(f"{by!r} is not a time of day; write '07:00', or '01:30 +1 day' for the next day")
    return time(int(match[1]), int(match[2])), int(match[3] or 0)


def _describe(outcome: RunOutcome, zone: tzinfo) -> ScheduledRun:
    def local(at: Instant | None) -> datetime | None:
        return None if at is None else to_datetime(at).astimezone(zone)

    return ScheduledRun(
        outcome.dag_id,
        outcome.run_id,
        outcome.run_type,
        to_datetime(outcome.run_after).astimezone(zone),
        local(outcome.started_at),
        local(outcome.ended_at),
        outcome.state.value,
        tuple(
            ScheduledTask(
                task.task_id,
                task.map_index,
                local(task.started_at),
                local(task.ended_at),
                None if task.state is None else task.state.value,
                task.try_number,
            )
            for task in outcome.tasks
        ),
        tuple(render(wait) for wait in outcome.waits),
    )
