"""The timeline of many DAGs is that of a plain count, DAG by DAG, without the kinds of DAGs and the rules that many of them share."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import msgspec
from tests.unit.api.served import Client
from tests.unit.api.test_own_overviews import cron
from tests.unit.entry.cli.deployment import HOURLY, Deployment, spec_of

from gnomon.model.instants import SECOND, Instant, to_datetime
from gnomon.model.slots import Cursor, PlannedRun, TimeRestriction, TimetableRef
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.rules.planning.policies import compute_jitter
from gnomon.rules.planning.queries import ask_next
from gnomon.rules.timetables.registry import build

SEED = 20
DAGS = 60
HOUR = 3600 * SECOND
PAST, COMING = 3, 6
SCHEDULES = (HOURLY, cron("*/20 * * * *"), cron("7 * * * *"), cron("0 6 * * 1-5"))
OF_AUTHOR = TimetableRef(path="plugins.Every", data={}, summary="of an author", builtin=False)


@dataclass
class _Dag:
    """A DAG with its next run, and its ended runs: (end, whether it failed), the newest last."""

    spec: DagSpec
    file: str
    next_run: PlannedRun
    ended: list[tuple[Instant, bool]] = field(default_factory=list)
    is_paused: bool = False


def _make_dags(chance: random.Random, now: Instant) -> list[_Dag]:
    dags = []
    for number in range(DAGS):
        timetable = chance.choice((*SCHEDULES, OF_AUTHOR))
        spec = spec_of(
            f"dag_{number:02d}",
            tasks=(TaskSpec(task_id="t", pool=chance.choice(("default_pool", "small"))),),
            timetable=timetable,
            tags=tuple(chance.sample(("a", "b", "c"), chance.randrange(3))),
            owner=chance.choice(("ann", "bob", "ann, bob")),
            jitter_s=900.0 if number % 7 == 3 else 0.0,
            end_at=now + 2 * HOUR if number % 11 == 5 else None,
        )
        after = now + chance.choice((-HOUR, -2 * HOUR, 0, 3 * HOUR, 30 * HOUR))
        planned = (
            PlannedRun(run_id="next", run_after=after, interval_start=None, interval_end=None)
            if timetable is OF_AUTHOR
            else _find_next(timetable, after)
        )
        ended = sorted((now - chance.randrange(5 * HOUR), chance.random() < 0.3) for _ in range(chance.randrange(4)))
        dags.append(
            _Dag(spec, f"/dags/folder_{number // 6 % 4}/file_{number // 6}.py", planned, ended, number % 13 == 1)
        )
    return dags


def _find_next(timetable: TimetableRef, after: Instant) -> PlannedRun:
    planned = ask_next(
        build(timetable),
        Cursor(run_after=after, interval_start=None, interval_end=None),
        TimeRestriction(None, None, True),
        after,
    )
    assert planned is not None
    return planned


def _store(deployment: Deployment, dags: list[_Dag]) -> None:
    for start in range(0, DAGS, 6):
        deployment.add(*(one.spec for one in dags[start : start + 6]), file=dags[start].file)
    with deployment.db.write() as tx:
        execute = tx._connection.execute_raw
        for number, one in enumerate(dags):
            where = f"WHERE dag_id = '{one.spec.dag_id}'"
            body = msgspec.json.encode(one.next_run).decode()
            execute(
                f"UPDATE dag SET next_run_after = {one.next_run.run_after}, next_body = '{body}', paused = {one.is_paused} {where}"
            )
            for place, (at, has_failed) in enumerate(one.ended):
                execute(
                    "INSERT INTO dag_run (dag_pk, group_no, run_id, run_type, state, run_after, queued_at, started_at, ended_at) "
                    f"SELECT dag_pk, group_no, 'r{number}_{place}', 'manual', {101 if has_failed else 100}, {at - 1000}, 1, 2, {at} FROM dag {where}"
                )
            execute(
                f"INSERT INTO newest_run (dag_pk, run_pk, run_after, state, started_at, ended_at) SELECT dag_pk, run_pk, run_after, state, started_at, ended_at FROM dag_run JOIN dag USING (dag_pk) {where} ORDER BY run_after DESC, run_pk DESC LIMIT 1"
            )


def _list_due(one: _Dag, until: Instant) -> tuple[list[Instant], bool]:
    """The due times before `until`, and whether these are all."""
    spec, planned = one.spec, one.next_run
    if planned.run_after >= until:
        return [], True
    found, timetable = [planned.run_after], None if spec.timetable is OF_AUTHOR else build(spec.timetable)
    while timetable is not None:
        cursor = Cursor(run_after=found[-1], interval_start=None, interval_end=None)
        further = ask_next(timetable, cursor, TimeRestriction(None, None, True), found[-1])
        if further is None or further.run_after >= until:
            break
        found.append(further.run_after)
    return [
        at + compute_jitter(spec) for at in found if spec.end_at is None or at <= spec.end_at
    ], timetable is not None


def _name_groups(one: _Dag, grouping: str) -> list[str]:
    last = "" if not one.ended else "failed" if one.ended[-1][1] else "success"
    owners = [name.strip() for name in one.spec.owner.split(",")]
    names = {
        "tag": list(one.spec.tags) or [""],
        "owner": owners,
        "pool": [one.spec.tasks[0].pool],
        "folder": [one.file.rpartition("/")[0]],
        "state": [last],
        "dag": [one.spec.dag_id],
    }
    return names[grouping]


def _count(dags: list[_Dag], now: Instant, grouping: str) -> dict[str, Any]:
    since = now - now % HOUR - PAST * HOUR
    hours = PAST + 1 + COMING
    until = since + hours * HOUR
    groups: dict[str, dict[str, Any]] = {}
    unknown, following = 0, []
    for one in dags:
        due, is_all = ([], True) if one.is_paused else _list_due(one, until)
        unknown += not is_all
        following += [(due[0], one.spec.dag_id)] if due else []
        for name in _name_groups(one, grouping):
            group = groups.setdefault(
                name,
                {
                    "name": name,
                    "dags": 0,
                    "late": 0,
                    "success": [0] * hours,
                    "failed": [0] * hours,
                    "coming": [0] * hours,
                },
            )
            group["dags"] += 1
            group["late"] += bool(due) and due[0] < now - 10 * SECOND
            for at, has_failed in one.ended:
                if at >= since:
                    group["failed" if has_failed else "success"][(at - since) // HOUR] += 1
            for at in due:
                if now <= at < until:
                    group["coming"][(at - since) // HOUR] += 1
    totals = {
        name: sum(map(sum, (one["success"], one["failed"], one["coming"]))) + one["late"]
        for name, one in groups.items()
    }
    listed = sorted((name for name in groups if totals[name]), key=lambda name: (-totals[name], name))
    return {
        "hours": hours,
        "groups": [groups[name] for name in listed],
        "unknown": unknown,
        "left_out": 0,
        "coming": sorted(following),
    }


def test_the_timeline_of_many_dags_is_that_of_a_plain_count(api: Client, deployment: Deployment) -> None:
    now = deployment.clock.now()
    dags = _make_dags(random.Random(SEED), now)
    _store(deployment, dags)
    chosen = [one for one in dags if "a" in one.spec.tags]
    for grouping in ("tag", "owner", "pool", "folder", "state", "dag"):
        for query, of_query in (("", dags), ("&tag=a", chosen)):
            expected = _count(of_query, now, grouping)
            for limit in (0, 1, 7, 200):
                found = api.own(
                    f"/timeline?past={PAST}&hours={COMING}&group_by={grouping}&groups=200&limit={limit}{query}"
                )
                found["coming"] = [(datetime.fromisoformat(one["run_after"]), one["dag_id"]) for one in found["coming"]]
                wanted = {
                    **expected,
                    "coming": [(to_datetime(at), dag_id) for at, dag_id in expected["coming"][:limit]],
                }
                assert {key: found[key] for key in wanted} == wanted, (grouping, query)


def test_the_timeline_and_the_filters_follow_a_change_of_a_dag(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("one", tags=("old",), timetable=HOURLY), file="/dags/a/f.py")
    deployment.add(spec_of("other", tags=("kept",)), file="/dags/b/g.py")
    assert [one["value"] for one in api.own("/dagFilters")["tags"]] == ["kept", "old"]
    deployment.add(spec_of("one", tags=("new",), timetable=HOURLY), file="/dags/a/f.py", version="2")
    assert [one["value"] for one in api.own("/dagFilters")["tags"]] == ["kept", "new"]
    assert [one["value"] for one in api.own("/dagFilters")["folders"]] == ["/dags/a", "/dags/b"]
    deployment.add(file="/dags/a/f.py", version="3")
    assert [one["value"] for one in api.own("/dagFilters")["folders"]] == ["/dags/b"]
    deployment.add(spec_of("one", tags=("new",), timetable=HOURLY), file="/dags/c/f.py", version="2")
    assert [one["value"] for one in api.own("/dagFilters")["folders"]] == ["/dags/b", "/dags/c"]
    assert [one["dag_id"] for one in api.own("/dags?folder=/dags/c")["dags"]] == ["one"]
