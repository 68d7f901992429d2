"""Plans that several projections of one state share: each asks the same timetables about the same slots."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gnomon.model.spec import DagSpec
from gnomon.rules.planning import Plan
from gnomon.rules.timetables.base import Timetable

KEPT_MAX = 500_000
"""Most plans that are kept: more are made each time."""
_Key = tuple[object, ...]


class KeptPlans:
    """Plans by everything that `plan_runs` reads of a DAG. For built-in timetables, which give the same answer each time."""

    def __init__(self) -> None:
        self._plans: dict[_Key, Plan] = {}

    def find(
        self, dag_pk: int, version_pk: int, timetable: Timetable, arguments: Mapping[str, Any], make: Callable[[], Plan]
    ) -> Plan:
        """The plan for these arguments of `plan_runs`, made by `make` if none is kept.

        The room is no part of the key: a plan that did not use it up is that of any room which it does not use up either.
        """
        key, room = _build_key(dag_pk, version_pk, timetable, arguments), arguments["max_new_runs"]
        plan = self._plans.get(key)
        if plan is not None and len(plan.runs) < room:
            return plan
        plan = make()
        if len(plan.runs) < room and len(self._plans) < KEPT_MAX:
            self._plans[key] = plan
        return plan


def _build_key(dag_pk: int, version_pk: int, timetable: Timetable, arguments: Mapping[str, Any]) -> _Key:
    spec: DagSpec = arguments["dag"]
    return (
        dag_pk,
        version_pk,
        arguments["now"],
        arguments["cursor"],
        arguments["promised_run"],
        arguments["active_since"],
        arguments["evaluate_as_of"],
        arguments["misfire_grace_s"],
        timetable.follows_runs and arguments["has_unfinished_runs"],
        spec.overlap == "skip" and arguments["has_unfinished_regular_runs"],
    )
