"""A timetable of an author that raises at any of its calls loses no slot: each due slot gets a run or a reason, once."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from gnomon.model.errors.authoring import AirflowTimetableInvalid
from gnomon.model.errors.timetable import PlanningError
from gnomon.model.instants import Instant, to_instant
from gnomon.model.slots import Cursor, PlannedRun, TimetableRef
from gnomon.model.spec import DagSpec
from gnomon.rules.planning import plan_runs
from gnomon.rules.timetables.base import DagRunInfo, DataInterval, Timetable

START = datetime(2024, 3, 6, tzinfo=UTC)
HOUR = timedelta(hours=1)
DUE = [to_instant(START + number * HOUR) for number in range(1, 7)]
NOW = to_instant(START + 6.5 * HOUR)
MAX_CALLS = 40
Failure = BaseException | None
"""None: an answer that is none."""


class Hourly(Timetable):
    """Every hour; the call number `fails_at` and `further` ones after it raise. It may ignore `catchup`, as authors do."""

    def __init__(
        self, fails_at: int, further: int, error: BaseException | None, method: str, *, ignores_catchup: bool
    ) -> None:
        self.calls = 0
        self._failing = range(fails_at, fails_at + 1 + further)
        self._error, self._method = error, method
        self._ignores_catchup = ignores_catchup

    def _call(self, method: str) -> bool:
        """True when this call answers with nonsense."""
        if method != self._method:
            return False
        self.calls += 1
        if self.calls not in self._failing:
            return False
        if self._error is not None:
            raise self._error.with_traceback(None)  # that of former calls would grow with each
        return True

    def next_dagrun_info(self, *, last_automated_data_interval: Any, restriction: Any) -> Any:
        if self._call("next_dagrun_info"):
            return "nonsense"
        start = START if last_automated_data_interval is None else last_automated_data_interval.end
        if not restriction.catchup and not self._ignores_catchup:
            start = max(start, START + 5 * HOUR)
        return DagRunInfo(start + HOUR, DataInterval(start, start + HOUR))

    def infer_manual_data_interval(self, *, run_after: Any) -> DataInterval:
        return DataInterval(run_after, run_after)

    def generate_run_id(self, **facts: Any) -> Any:
        return 7 if self._call("generate_run_id") else f"r{facts['run_after']}"


def _decide_all(
    dag: DagSpec, timetable: Timetable, active_since: Instant
) -> tuple[list[Instant], list[tuple[Instant, Instant]]]:
    """The due times of the runs, and the ranges of skipped slots, of plans that are repeated as the scheduler does, until none is left."""
    runs: list[Instant] = []
    skipped: list[tuple[Instant, Instant]] = []
    cursor: Cursor | None = None
    promised_run: PlannedRun | None = None
    for _ in range(MAX_CALLS):
        try:
            plan = plan_runs(
                dag=dag,
                timetable=timetable,
                cursor=cursor,
                now=NOW,
                max_new_runs=100,
                has_unfinished_runs=False,
                promised_run=promised_run,
                active_since=active_since,
            )
        except PlanningError:
            continue
        runs += [run.run_after for run in plan.runs]
        skipped += [(one.first, one.until) for one in plan.skipped]
        cursor, promised_run = plan.cursor, plan.next_run
        if promised_run is not None and promised_run.run_after > NOW:
            return runs, skipped
    raise AssertionError("the plans do not end")


POLICIES = [
    {"misfire": misfire, "overlap": overlap, "catchup": catchup}
    for misfire, overlap, catchup in itertools.product(
        (None, "latest", "all", "skip"), ("allow", "queue", "skip", "cancel_running"), (True, False)
    )
]


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: "-".join(map(str, policy.values())))
def test_every_due_slot_is_decided_once_whichever_call_fails(policy: dict[str, Any]) -> None:
    for method, ignores in itertools.product(("next_dagrun_info", "generate_run_id"), (True, False)):
        _fail_each_call(policy, method, ValueError("no"), ignores)


@pytest.mark.parametrize("error", [SystemExit(3), AirflowTimetableInvalid("no"), RecursionError(), None], ids=repr)
@pytest.mark.parametrize("misfire", ["latest", "all", "skip"])
def test_every_due_slot_is_decided_once_whatever_is_raised(misfire: str, error: Failure) -> None:
    for method in ("next_dagrun_info", "generate_run_id"):
        _fail_each_call({"misfire": misfire, "overlap": "queue", "catchup": True}, method, error, ignores=True)


def _fail_each_call(policy: dict[str, Any], method: str, error: Failure, ignores: bool) -> None:
    dag = DagSpec(
        dag_id="d", timetable=TimetableRef(path="x", builtin=False), tasks=(), start_at=to_instant(START), **policy
    )
    for active_since in (0, to_instant(START + 3.5 * HOUR)):
        whole = Hourly(0, 0, error, method, ignores_catchup=ignores)
        _decide_all(dag, whole, active_since)
        assert whole.calls > 1
        for fails_at, further in itertools.product(range(1, whole.calls + 1), (0, 2)):
            runs, skipped = _decide_all(
                dag, Hourly(fails_at, further, error, method, ignores_catchup=ignores), active_since
            )
            where = f"{policy}, call {fails_at} of {method} raises {error!r}, since {active_since}"
            decided = [
                sum(at == run for run in runs) + sum(first <= at < until for first, until in skipped) for at in DUE
            ]
            left_out = 0 if ignores else 1  # with catchup=False its author leaves slots out, but not the newest
            assert decided[-1] == 1 and set(decided) <= {1, 1 - left_out}, f"{where}: {decided}"
