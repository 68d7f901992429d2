"""The laws of timetables. Each takes a timetable and a case, and returns what is wrong in words, or None.

A question whose answer the scheduler could not use ends every law but `usable`, which is there to tell it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from gnomon.errors.timetable import PlanningError
from gnomon.model.ids import RUN_ID_MAX
from gnomon.model.instants import Instant
from gnomon.model.slots import PlannedRun, TimeRestriction
from gnomon.testing.timetables.case import Case
from gnomon.testing.timetables.subject import Subject
from gnomon.testing.timetables.wording import slot, told
from gnomon.timetables.base import BuiltinTimetable, Timetable
from gnomon.timetables.cronbased import CronBased
from gnomon.timetables.deltabased import DeltaBased
from gnomon.timetables.events import EventsTimetable
from gnomon.timetables.multiple import MultipleCronTriggerTimetable

_UNREAD = frozenset("LlWw#?RrHh")
"""Letters of cron that describers do not know."""


class Law(NamedTuple):
    """What holds for every timetable."""

    claim: str
    broken: Callable[[Subject, Case], str | None]
    timeless: bool = False
    """One case is enough: it asks nothing about time."""


def usable(subject: Subject, case: Case) -> str | None:
    try:
        subject.walk(case.bounds, subject.now(case.now), case.steps)
        subject.manual(case.now)
    except PlanningError as error:
        return str(error)
    return None


def increasing(subject: Subject, case: Case) -> str | None:
    for before, after in pairwise(subject.steps(case.bounds, subject.now(case.now), case.steps)):
        late_enough = after.run_after >= before.run_after if subject.follows_runs else after.run_after > before.run_after
        if not late_enough:
            return f"after {slot(before)} comes {slot(after)}"
        if not subject.follows_runs and _logical(after) <= _logical(before):
            return f"the logical date goes back or stands still: after {slot(before)} comes {slot(after)}"
    return None


def ordered(subject: Subject, case: Case) -> str | None:
    for run in subject.steps(case.bounds, subject.now(case.now), case.steps):
        if run.interval_start is not None and run.interval_end is not None and run.interval_start > run.interval_end:
            return f"{slot(run)} has an interval that ends before it starts"
    start, end = subject.manual(case.now)
    return None if start <= end else f"the interval of a manual run goes from {told(start)} back to {told(end)}"


def bounded(subject: Subject, case: Case) -> str | None:
    for run in subject.steps(case.bounds, subject.now(case.now), case.steps):
        if case.earliest is not None and run.run_after < case.earliest:
            return f"the earliest is {told(case.earliest)}, and there is {slot(run)}"
        if case.latest is not None and min(run.run_after, _logical(run)) > case.latest:
            return f"the latest is {told(case.latest)}, and there is {slot(run)}"
    return None


def newest_only(subject: Subject, case: Case) -> str | None:
    if case.earliest is None and isinstance(subject.timetable, MultipleCronTriggerTimetable):
        return None  # each expression has a first run of its own then (run_immediately)
    bounds = case.bounds._replace(catchup=False)
    now = subject.now(case.now)
    first = subject.next(None, bounds, now)
    following = None if first is None or subject.follows_runs else subject.next(first, bounds, now)
    if first is None or following is None or following.run_after > now:
        return None
    return f"with catchup off, at {told(now)}, the first is {slot(first)}, and {slot(following)} is due already too"


def halves(subject: Subject, case: Case) -> str | None:
    case = _timeless(subject, case)
    now = subject.now(case.now)
    whole = subject.walk(case.bounds, now, case.steps)
    if len(whole) < case.cut:
        return None
    other = _restored(subject)
    if other is None:
        return None
    rest = other.walk(case.bounds, now, case.steps - case.cut, whole[case.cut - 1])
    expected = whole[case.cut :]
    for number in range(max(len(rest), len(expected))):
        one = expected[number] if number < len(expected) else None
        two = rest[number] if number < len(rest) else None
        if one != two:
            before = whole[case.cut - 1 + number]
            other.next(before, case.bounds, now)  # so that it is the call that is shown
            subject.calls += other.calls[-1:]
            return f"in one walk {slot(one)} follows {slot(before)}; a stored and restored one says {slot(two)}"
    return None


def repeatable(subject: Subject, case: Case) -> str | None:
    case = _timeless(subject, case)
    now = subject.now(case.now)
    first = subject.next(None, case.bounds, now)
    for last in (None, first):
        one = subject.next(last, case.bounds, now) if last is not None else first
        two = subject.next(last, case.bounds, now)
        if one != two:
            return f"asked twice, it says {slot(one)} and then {slot(two)}"
    return None


def stored(subject: Subject, _: Case) -> str | None:
    try:
        data: object = subject.data()
    except Exception as error:
        return f"serialize raised {_told(error)}"
    if not isinstance(data, dict):
        return f"serialize returned {type(data).__name__}; return a dict of JSON values"
    try:
        kept = json.loads(json.dumps(data))
    except (TypeError, ValueError) as error:
        return f"serialize returned what JSON cannot keep ({error}); return texts, numbers, booleans, None, lists and dicts"
    try:
        again = subject.stored()
        after = json.loads(json.dumps(again.data()))
    except Exception as error:
        return f"restoring it raised {_told(error)}, for {kept!r}"
    if after != kept:
        return f"it is stored as {kept!r}, and restored and stored again as {after!r}"
    if type(subject.timetable).__eq__ is not object.__eq__ and again.timetable != subject.timetable:
        return "restored, it is not equal to what it was (__eq__)"
    for name in ("summary", "description"):
        one, two = getattr(subject.timetable, name, ""), getattr(again.timetable, name, "")
        if one != two:
            return f"its {name} is {one!r}, and restored {two!r}"
    return None


def manual_past(subject: Subject, case: Case) -> str | None:
    events = subject.timetable
    if isinstance(events, EventsTimetable) and events.restrict_to_events:
        first = subject.next(None, TimeRestriction(None, None, True), case.now)
        if first is None or case.now < first.run_after:
            return None
    _, end = subject.manual(case.now)
    if end <= case.now:
        return None
    return f"a run started by hand at {told(case.now)} would be about data until {told(end)}, which is not there yet"


def manual_own(subject: Subject, case: Case) -> str | None:
    start, end = subject.manual(case.now)
    if end in (start, case.now) or not _on_a_grid(subject, replace(case, earliest=start, latest=None)):
        return None
    bounds = replace(case, earliest=start, latest=None, catchup=True).bounds
    own = subject.next(None, bounds, subject.now(case.now))
    if own is not None and (own.interval_start, own.interval_end) == (start, end):
        return None
    subject.manual(case.now)  # so that it is a call that is shown
    return (
        f"a run started by hand at {told(case.now)} is about {told(start)} to {told(end)}, which is none of the schedule's own "
        f"intervals: from there, the schedule has {slot(own)}"
    )


def run_ids(subject: Subject, case: Case) -> str | None:
    if subject.follows_runs:
        return None  # the clock stands still here, and the id is made of the time
    seen: dict[str, str] = {}
    for run in subject.steps(case.bounds, subject.now(case.now), case.steps):
        if not 1 <= len(run.run_id) <= RUN_ID_MAX:
            return f"{slot(run)} has an id of {len(run.run_id)} characters; 1 to {RUN_ID_MAX} are possible"
        if run.run_id in seen:
            return f"{slot(run)} and {seen[run.run_id]} are both called {run.run_id!r}"
        seen[run.run_id] = slot(run)
    return None


def worded(subject: Subject, _: Case) -> str | None:
    for name in ("summary", "description"):
        try:
            text = getattr(subject.timetable, name)
        except Exception as error:
            return f"its {name} raised {_told(error)}"
        if not isinstance(text, str):
            return f"its {name} is {text!r}; let it be a text"
    if not subject.timetable.summary.strip():
        return "its summary is empty; listings show it as the schedule"
    if not subject.timetable.description.strip() and not _may_be_silent(subject.timetable):
        return "its description is empty; `gnomon dags show` prints it"
    return None


def _logical(run: PlannedRun) -> Instant:
    return run.run_after if run.logical_at is None else run.logical_at


def _timeless(subject: Subject, case: Case) -> Case:
    """The case, such that an author's code has no reason to look at the clock."""
    return case if subject.told_the_time or case.catchup else replace(case, catchup=True)


def _restored(subject: Subject) -> Subject | None:
    """None: it cannot be stored, which another law tells."""
    try:
        return subject.stored()
    except Exception:
        return None


def _on_a_grid(subject: Subject, case: Case) -> bool:
    """Whether it cuts time into intervals at places of its own, wherever it starts."""
    bounds = replace(case, catchup=True).bounds
    now = subject.now(case.now)
    first = subject.next(None, bounds, now)
    if first is None or first.interval_start is None or first.interval_end is None or first.interval_start == first.interval_end:
        return False
    second = subject.next(first, bounds, now)
    moved = replace(case, catchup=True, earliest=first.interval_start + 1).bounds
    return second is not None and first.run_after >= first.interval_end and subject.next(None, moved, now) == second


def _may_be_silent(timetable: Timetable) -> bool:
    """Cron forms that no describer reads, spans (Airflow has no words for them), author's classes without a description."""
    if isinstance(timetable, DeltaBased):
        return True
    if isinstance(timetable, CronBased | MultipleCronTriggerTimetable):
        data = timetable.serialize()
        expressions: list[str] = data.get("expressions") or [data["expression"]]
        return any(len(text.split()) not in (1, 5) or _UNREAD & set(text) for text in expressions)
    ours = isinstance(timetable, BuiltinTimetable)
    return not ours and type(timetable).description is Timetable.description and "description" not in vars(timetable)


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


LAWS: dict[str, Law] = {
    "usable": Law("every answer is one that the scheduler can use", usable),
    "increasing": Law("each run is later than the one before it", increasing),
    "ordered": Law("no data interval ends before it starts", ordered),
    "bounded": Law("no run is before the start date or after the end date", bounded),
    "newest_only": Law("with catchup off, a DAG's first run is the newest that is due", newest_only),
    "halves": Law("a walk that is interrupted and resumed makes the runs of one that is not", halves),
    "repeatable": Law("the same question has the same answer", repeatable),
    "stored": Law("stored and restored, it is what it was", stored, timeless=True),
    "manual_past": Law("a run by hand is not about data of the future", manual_past),
    "manual_own": Law("a run by hand is about one of the schedule's own intervals, if it has such", manual_own),
    "run_ids": Law(f"run ids are distinct and have 1 to {RUN_ID_MAX} characters", run_ids),
    "worded": Law("summary and description are texts, and not empty", worded, timeless=True),
}
"""By name, in the order in which they are tried."""


def wrong(law: Law, subject: Subject, case: Case) -> str | None:
    """What the law finds in the case. An answer that cannot be used is for `usable` alone to tell."""
    try:
        return law.broken(subject, case)
    except PlanningError:
        return None

