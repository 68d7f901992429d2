"""The situations from which the rules of dependencies come, each with the possible cases of the upstream runs.

Six pairs of DAGs wait for a whole day, each on a day with and without an upstream run; five wait for the nearest slots, each by
counting (rule one) and by intervals (rule two). The module `reading` computes from the rules what each run waits for.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from typing import Any, NamedTuple

from tests.unit.rules.dependencies.reading import Bounds, Dag, waits_for
from tests.unit.rules.timetables.walked import Spec

DAY = date(2026, 3, 2)
"""A Monday, and the second of its month."""
MORNING = datetime(2026, 3, 2, tzinfo=UTC)
UNPAUSED = MORNING + timedelta(hours=20, minutes=10)
"""When the upstreams of the cases `absent` are let run; what lies before, but for the newest slot, never runs."""
CASES = ("success", "wait", "proceed", "cancel", "late", "absent")
FAILING = ("wait", "proceed", "cancel")
"""In these cases the first upstream run of the day fails; the word is the downstream's `on_failure`."""

_DISCRETE: Spec = {"kind": "discrete_hours", "hours": [2, 5, 15], "minute": 0}
_OTHER: Spec = {"kind": "discrete_hours", "hours": [3, 6, 8], "minute": 0}
_DAILY: Spec = {"kind": "day", "at": "12:00"}
_MORNINGS: Spec = {"kind": "day", "at": "06:00"}
_MINUTES: Spec = {"kind": "minute", "every": 30, "start": "00:00", "end": "23:59"}
_THREE_MINUTES: Spec = {"kind": "minute", "every": 30, "start": "08:00", "end": "09:00"}
_NOT_TODAY: Bounds = (MORNING + timedelta(days=1), None)
_OVER: Bounds = (MORNING - timedelta(days=3), MORNING - timedelta(seconds=1))
_FROM_TODAY: Bounds = (MORNING, None)


class Situation(NamedTuple):
    """A pair of timetables, and the rule that its runs are to be found by."""

    name: str
    downstream: Spec
    upstream: Spec
    rules: frozenset[str]
    upstream_bounds: Bounds = _FROM_TODAY


def _hour(every: int) -> Spec:
    return {"kind": "hour", "every": every, "start": "00:00", "end": "23:59"}


def _week(day: int, at: str = "12:00") -> Spec:
    return {"kind": "week", "weekdays": [day], "at": at}


def _month(day: int, at: str = "12:00") -> Spec:
    return {"kind": "month", "days": [day], "at": at}


_WHOLE, _NONE, _ONE = frozenset({"whole_day"}), frozenset({"none"}), frozenset({"one_to_one"})
_TWO = frozenset({"backward", "carried", "forward", "nearest"})
SITUATIONS = (
    Situation("discrete_on_day", _DISCRETE, _DAILY, _WHOLE),
    Situation("discrete_on_no_day", _DISCRETE, _DAILY, _NONE, _NOT_TODAY),
    Situation("discrete_on_week", _DISCRETE, _week(1), _WHOLE),
    Situation("discrete_on_other_week", _DISCRETE, _week(2), _NONE),
    Situation("discrete_on_month", _DISCRETE, _month(2), _WHOLE),
    Situation("discrete_on_other_month", _DISCRETE, _month(3), _NONE),
    Situation("day_on_discrete", _MORNINGS, _DISCRETE, _WHOLE),
    Situation("day_on_no_discrete", _MORNINGS, _DISCRETE, _NONE, _OVER),
    Situation("week_on_discrete", _week(1, "06:00"), _DISCRETE, _WHOLE),
    Situation("week_on_no_discrete", _week(1, "06:00"), _DISCRETE, _NONE, _NOT_TODAY),
    Situation("month_on_discrete", _month(2, "06:00"), _DISCRETE, _WHOLE),
    Situation("month_on_no_discrete", _month(2, "06:00"), _DISCRETE, _NONE, _OVER),
    Situation("discrete_on_hour_one", _DISCRETE, _hour(8), _ONE),
    Situation("discrete_on_hour_two", _DISCRETE, _hour(2), _TWO),
    Situation("discrete_on_minute_one", _DISCRETE, _THREE_MINUTES, _ONE),
    Situation("discrete_on_minute_two", _DISCRETE, _MINUTES, _TWO),
    Situation("discrete_on_discrete_one", _DISCRETE, _OTHER, _ONE),
    Situation("discrete_on_discrete_two", _DISCRETE, {"kind": "discrete_hours", "hours": [3, 16], "minute": 0}, _TWO),
    Situation("hour_on_discrete_one", _hour(8), _DISCRETE, _ONE),
    Situation("hour_on_discrete_two", _hour(2), _OTHER, _TWO),
    Situation("minute_on_discrete_one", _THREE_MINUTES, _DISCRETE, _ONE),
    Situation("minute_on_discrete_two", _MINUTES, _OTHER, _TWO),
)
assert len(SITUATIONS) == 22


class Pair:
    """One situation in one case: two DAGs of their own."""

    def __init__(self, situation: Situation, case: str) -> None:
        self.situation, self.case = situation, case
        self.up, self.down = f"up_{situation.name}_{case}", f"down_{situation.name}_{case}"
        self._a = Dag(situation.downstream, UTC, _FROM_TODAY)
        self._b = Dag(situation.upstream, UTC, situation.upstream_bounds)

    @cached_property
    def upstream_slots(self) -> list[datetime]:
        """The upstream's planned times of the day."""
        return _slots(self._b)

    @cached_property
    def made(self) -> list[datetime]:
        """Those of them that get a run."""
        if self.case != "absent":
            return self.upstream_slots
        before = [slot for slot in self.upstream_slots if slot <= UNPAUSED]
        return before[-1:] + [slot for slot in self.upstream_slots if slot > UNPAUSED]

    @cached_property
    def failing(self) -> datetime | None:
        """The upstream run that fails."""
        return self.made[0] if self.case in FAILING and self.made else None

    @cached_property
    def waits(self) -> dict[datetime, tuple[list[datetime], str]]:
        """Planned time of each downstream run to the upstream runs that it waits for, and the rule."""
        found = {slot: waits_for(self._a, self._b, slot, {}) for slot in _slots(self._a)}
        return {slot: ([u for u in ups if u in self.made], rule) for slot, (ups, rule) in found.items()}

    def row(self) -> dict[str, Any]:
        """What the DAG file makes it of."""
        low, high = self.situation.upstream_bounds
        return {
            "up": self.up,
            "down": self.down,
            "case": self.case,
            "upstream": self.situation.upstream,
            "downstream": self.situation.downstream,
            "start": low.isoformat() if low else None,
            "end": high.isoformat() if high else None,
            "failing": self.failing.isoformat() if self.failing else None,
        }


def _slots(dag: Dag) -> list[datetime]:
    return sorted({slot for _, slots in dag.slots(DAY) for slot in slots})


def pairs(names: Iterator[str] | None = None) -> list[Pair]:
    """Every situation in every case that makes a difference there: without an upstream instance nothing can go wrong."""
    wanted = None if names is None else set(names)
    return [
        Pair(situation, case)
        for situation in SITUATIONS
        if wanted is None or situation.name in wanted
        for case in (CASES if situation.rules != _NONE else CASES[:1])
    ]


DAG_FILE = """
import datetime as dt
import json
import os
from pathlib import Path

from airflow.exceptions import AirflowFailException

from gnomon import DAG, After, task
from gnomon.timetables import Daily, DiscreteHours, Hourly, Minutely, Monthly, Weekly

HOME = Path(__file__).parent.parent
MORNING = dt.datetime(2026, 3, 2, tzinfo=dt.UTC)
AGAIN = {"retries": 5, "retry_delay": dt.timedelta(0)}  # where the machine is so busy that a worker is taken for dead


def said(word, dag_id, run_after):
    line = json.dumps([word, dag_id, run_after.isoformat()]) + "\\n"
    file = os.open(HOME / "order", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, line.encode())
    os.close(file)


def timetable(spec):
    given = {key: value for key, value in spec.items() if key != "kind"}
    kinds = {"minute": Minutely, "hour": Hourly, "discrete_hours": DiscreteHours, "day": Daily, "week": Weekly, "month": Monthly}
    return kinds[spec["kind"]](**given, interval=None)


def moment(text):
    return dt.datetime.fromisoformat(text) if text else None


for row in json.loads((HOME / "pairs.json").read_text()):
    case = row["case"]
    with DAG(row["up"], schedule=timetable(row["upstream"]), start_date=moment(row["start"]), end_date=moment(row["end"]),
             catchup=case != "absent", max_active_runs=100, is_paused_upon_creation=case == "absent"):

        @task(pool="late" if case == "late" else "default_pool", **AGAIN)
        def work(failing=row["failing"], dag_run=None):
            said("begins", dag_run.dag_id, dag_run.run_after)
            if dag_run.run_after == moment(failing) and not (HOME / "repaired").exists():
                said("fails", dag_run.dag_id, dag_run.run_after)
                raise AirflowFailException("as it should")
            said("ends", dag_run.dag_id, dag_run.run_after)

        work()

    policy = case if case in ("wait", "proceed", "cancel") else "wait"
    with DAG(row["down"], schedule=timetable(row["downstream"]), start_date=MORNING, catchup=True, max_active_runs=100,
             depends_on=[After(row["up"], on_failure=policy)], is_paused_upon_creation=False):

        @task(**AGAIN)
        def use(dag_run=None):
            said("begins", dag_run.dag_id, dag_run.run_after)
            said("ends", dag_run.dag_id, dag_run.run_after)

        use()
"""
