"""The laws of timetables. Each check takes a timetable and a case, and returns a sentence on the violation, or None.

When the timetable gives an answer that the scheduler could not use, only `check_usable` reports it; the other checks pass.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from gnomon.entry.testing.timetables.case import Case
from gnomon.entry.testing.timetables.subject import Subject
from gnomon.entry.testing.timetables.wording import describe_instant, describe_slot
from gnomon.model.errors.error_text import describe_error
from gnomon.model.errors.timetable import PlanningError
from gnomon.model.ids import RUN_ID_MAX
from gnomon.model.instants import Instant
from gnomon.model.slots import PlannedRun, TimeRestriction
from gnomon.rules.timetables.base import BuiltinTimetable, Timetable
from gnomon.rules.timetables.cron_timetable import CronTimetable
from gnomon.rules.timetables.delta_timetable import DeltaTimetable
from gnomon.rules.timetables.event_timetable import EventsTimetable
from gnomon.rules.timetables.multiple_crons import MultipleCronTriggerTimetable

_UNREAD = frozenset("LlWw#?RrHh")
"""Characters of cron that cron descriptions do not support."""


class Law(NamedTuple):
    """A law: the claim, and the check, which returns a sentence when the claim does not hold."""

    claim: str
    broken: Callable[[Subject, Case], str | None]
    timeless: bool = False
    """True when the check does not depend on time, so that one case is enough."""


def check_usable(subject: Subject, case: Case) -> str | None:
    try:
        subject.walk(case.bounds, subject.now(case.now), case.steps)
        subject.manual(case.now)
    except PlanningError as error:
        return str(error)
    return None


def check_increasing(subject: Subject, case: Case) -> str | None:
    for before, after in pairwise(subject.steps(case.bounds, subject.now(case.now), case.steps)):
        late_enough = (
            after.run_after >= before.run_after if subject.follows_runs else after.run_after > before.run_after
        )
        if not late_enough:
            return f"after {describe_slot(before)} comes {describe_slot(after)}"
        if not subject.follows_runs and _logical(after) <= _logical(before):
            return f"the logical date does not increase: after {describe_slot(before)} comes {describe_slot(after)}"
    return None


def check_ordered(subject: Subject, case: Case) -> str | None:
    for run in subject.steps(case.bounds, subject.now(case.now), case.steps):
        if run.interval_start is not None and run.interval_end is not None and run.interval_start > run.interval_end:
            return f"{describe_slot(run)} has an interval that ends before it starts"
    start, end = subject.manual(case.now)
    return (
        None
        if start <= end
        else f"the interval of a manual run goes from {describe_instant(start)} back to {describe_instant(end)}"
    )


def check_bounded(subject: Subject, case: Case) -> str | None:
    for run in subject.steps(case.bounds, subject.now(case.now), case.steps):
        if case.earliest is not None and run.run_after < case.earliest:
            return f"the earliest is {describe_instant(case.earliest)}, and there is {describe_slot(run)}"
        if case.latest is not None and min(run.run_after, _logical(run)) > case.latest:
            return f"the latest is {describe_instant(case.latest)}, and there is {describe_slot(run)}"
    return None


def check_newest_only(subject: Subject, case: Case) -> str | None:
    if case.earliest is None and isinstance(subject.timetable, MultipleCronTriggerTimetable):
        return None  # each expression has a first run of its own then (run_immediately)
    bounds = case.bounds._replace(catchup=False)
    now = subject.now(case.now)
    first = subject.next(None, bounds, now)
    following = None if first is None or subject.follows_runs else subject.next(first, bounds, now)
    if first is None or following is None or following.run_after > now:
        return None
    return f"with catchup off, at {describe_instant(now)}, the first is {describe_slot(first)}, and {describe_slot(following)} is also due already"


def check_halves(subject: Subject, case: Case) -> str | None:
    case = _without_clock(subject, case)
    now = subject.now(case.now)
    whole = subject.walk(case.bounds, now, case.steps)
    if len(whole) < case.cut:
        return None
    other = _restore(subject)
    if other is None:
        return None
    rest = other.walk(case.bounds, now, case.steps - case.cut, whole[case.cut - 1])
    expected = whole[case.cut :]
    for number in range(max(len(rest), len(expected))):
        first_slot = expected[number] if number < len(expected) else None
        second_slot = rest[number] if number < len(rest) else None
        if first_slot != second_slot:
            before = whole[case.cut - 1 + number]
            other.next(before, case.bounds, now)  # so that this is the call that the violation shows
            subject.calls += other.calls[-1:]
            return f"without a restart, {describe_slot(before)} is followed by {describe_slot(first_slot)}; after serialize and deserialize, by {describe_slot(second_slot)}"
    return None


def check_repeatable(subject: Subject, case: Case) -> str | None:
    case = _without_clock(subject, case)
    now = subject.now(case.now)
    first = subject.next(None, case.bounds, now)
    for last in (None, first):
        first_slot = subject.next(last, case.bounds, now) if last is not None else first
        second_slot = subject.next(last, case.bounds, now)
        if first_slot != second_slot:
            return f"two identical calls return {describe_slot(first_slot)} and then {describe_slot(second_slot)}"
    return None


def check_stored(subject: Subject, _: Case) -> str | None:
    try:
        data: object = subject.data()
    except Exception as error:
        return f"serialize raised {_describe_error(error)}"
    if not isinstance(data, dict):
        return f"serialize returned {type(data).__name__}; return a dict of JSON values"
    try:
        stored_data = json.loads(json.dumps(data))
    except (TypeError, ValueError) as error:
        return f"serialize returned a value that JSON cannot represent ({error}); return texts, numbers, booleans, None, lists and dicts"
    try:
        again = subject.stored()
        after = json.loads(json.dumps(again.data()))
    except Exception as error:
        return f"deserialize or a second serialize raised {_describe_error(error)}, for {stored_data!r}"
    if after != stored_data:
        return f"serialize returns {stored_data!r}, and after deserialize it returns {after!r}"
    if type(subject.timetable).__eq__ is not object.__eq__ and again.timetable != subject.timetable:
        return "after deserialize, the timetable is not equal to the original (__eq__)"
    for name in ("summary", "description"):
        first_text, second_text = getattr(subject.timetable, name, ""), getattr(again.timetable, name, "")
        if first_text != second_text:
            return f"its {name} is {first_text!r}, and after deserialize {second_text!r}"
    return None


def check_manual_past(subject: Subject, case: Case) -> str | None:
    events = subject.timetable
    if isinstance(events, EventsTimetable) and events.restrict_to_events:
        first = subject.next(None, TimeRestriction(None, None, True), case.now)
        if first is None or case.now < first.run_after:
            return None
    _, end = subject.manual(case.now)
    if end <= case.now:
        return None
    return f"the data interval of a manual run at {describe_instant(case.now)} ends at {describe_instant(end)}, in the future"


def check_manual_own(subject: Subject, case: Case) -> str | None:
    start, end = subject.manual(case.now)
    if end in (start, case.now) or not _is_on_grid(subject, replace(case, earliest=start, latest=None)):
        return None
    bounds = replace(case, earliest=start, latest=None, catchup=True).bounds
    own = subject.next(None, bounds, subject.now(case.now))
    if own is not None and (own.interval_start, own.interval_end) == (start, end):
        return None
    subject.manual(case.now)  # so that the violation shows this call
    return (
        f"the data interval of a manual run at {describe_instant(case.now)} is {describe_instant(start)} to {describe_instant(end)}, which is none of the "
        f"schedule's own intervals: from there, the schedule has {describe_slot(own)}"
    )


def check_run_ids(subject: Subject, case: Case) -> str | None:
    if subject.follows_runs:
        return None  # the run id is made from the current time, which does not change here
    runs_by_id: dict[str, str] = {}
    for run in subject.steps(case.bounds, subject.now(case.now), case.steps):
        if not 1 <= len(run.run_id) <= RUN_ID_MAX:
            return f"{describe_slot(run)} has an id of {len(run.run_id)} characters; 1 to {RUN_ID_MAX} are possible"
        if run.run_id in runs_by_id:
            return f"{describe_slot(run)} and {runs_by_id[run.run_id]} are both called {run.run_id!r}"
        runs_by_id[run.run_id] = describe_slot(run)
    return None


def check_worded(subject: Subject, _: Case) -> str | None:
    for name in ("summary", "description"):
        try:
            text = getattr(subject.timetable, name)
        except Exception as error:
            return f"its {name} raised {_describe_error(error)}"
        if not isinstance(text, str):
            return f"its {name} is {text!r}; it must be a text"
    if not subject.timetable.summary.strip():
        return "its summary is empty; listings show it as the schedule"
    if not subject.timetable.description.strip() and not _may_be_silent(subject.timetable):
        return "its description is empty; `gnomon dags show` prints it"
    return None


def _logical(run: PlannedRun) -> Instant:
    return run.run_after if run.logical_at is None else run.logical_at


def _without_clock(subject: Subject, case: Case) -> Case:
    """The case with catchup, unless the timetable receives `now`: without catchup, an author's code would read the clock."""
    return case if subject.takes_now or case.catchup else replace(case, catchup=True)


def _restore(subject: Subject) -> Subject | None:
    """The timetable after serialize and deserialize; None when that fails, which `check_stored` reports."""
    try:
        return subject.stored()
    except Exception:
        return None


def _is_on_grid(subject: Subject, case: Case) -> bool:
    """Whether the timetable divides time into intervals at fixed instants, independent of the start date."""
    bounds = replace(case, catchup=True).bounds
    now = subject.now(case.now)
    first = subject.next(None, bounds, now)
    if (
        first is None
        or first.interval_start is None
        or first.interval_end is None
        or first.interval_start == first.interval_end
    ):
        return False
    second = subject.next(first, bounds, now)
    moved = replace(case, catchup=True, earliest=first.interval_start + 1).bounds
    return second is not None and first.run_after >= first.interval_end and subject.next(None, moved, now) == second


def _may_be_silent(timetable: Timetable) -> bool:
    """Whether an empty description is allowed: unsupported forms of cron, deltas, and author's classes without a description."""
    if isinstance(timetable, DeltaTimetable):
        return True
    if isinstance(timetable, CronTimetable | MultipleCronTriggerTimetable):
        data = timetable.serialize()
        expressions: list[str] = data.get("expressions") or [data["expression"]]
        return any(len(text.split()) not in (1, 5) or _UNREAD & set(text) for text in expressions)
    ours = isinstance(timetable, BuiltinTimetable)
    return not ours and type(timetable).description is Timetable.description and "description" not in vars(timetable)


def _describe_error(error: Exception) -> str:
    return f"{describe_error(error)}"


LAWS: dict[str, Law] = {
    "usable": Law("the scheduler can use every answer", check_usable),
    "increasing": Law("each run is later than the one before it", check_increasing),
    "ordered": Law("no data interval ends before it starts", check_ordered),
    "bounded": Law("no run is before the start date or after the end date", check_bounded),
    "newest_only": Law("with catchup off, a DAG's first run is the newest that is due", check_newest_only),
    "halves": Law(
        "a sequence of runs that is interrupted and resumed is the same as without interruption", check_halves
    ),
    "repeatable": Law("identical calls return the same answer", check_repeatable),
    "stored": Law("serialize and deserialize preserve the timetable", check_stored, timeless=True),
    "manual_past": Law("the data interval of a manual run does not end in the future", check_manual_past),
    "manual_own": Law(
        "the data interval of a manual run is one of the schedule's own intervals, if it has fixed intervals",
        check_manual_own,
    ),
    "run_ids": Law(f"run ids are distinct and have 1 to {RUN_ID_MAX} characters", check_run_ids),
    "worded": Law("summary and description are texts, and not empty", check_worded, timeless=True),
}
"""The laws by name, in the order in which they are checked."""


def find_fault(law: Law, subject: Subject, case: Case) -> str | None:
    """The sentence of the law's check, or None. Answers that cannot be used are reported by `check_usable` only."""
    try:
        return law.broken(subject, case)
    except PlanningError:
        return None
