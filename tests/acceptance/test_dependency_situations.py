"""Runs that wait for runs of other DAGs, in real processes, through one virtual day (tests/acceptance/situations.py)."""

from __future__ import annotations

import json
import mmap
import os
import sqlite3
import struct
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.product import Product, product
from tests.acceptance.situations import DAG_FILE, MORNING, SITUATIONS, UNPAUSED, Pair, pairs

from gnomon.model.instants import to_datetime, to_instant

CLOCK = Path(__file__).parent / "virtualclock"
STEP = timedelta(minutes=30)
EVENING = MORNING + timedelta(hours=23, minutes=59)
SHORT = ("day_on_discrete", "day_on_no_discrete", "discrete_on_hour_one", "hour_on_discrete_two")
PATIENCE_S = 240.0


class VirtualDay:
    """A running product whose processes have the time from here."""

    def __init__(self, running: Product, clock: mmap.mmap, of: list[Pair]) -> None:
        self.running, self._clock, self.pairs = running, clock, of

    def is_now(self, moment: datetime) -> None:
        """It is that time, and every DAG that is let run has planned what is due."""
        struct.pack_into("<q", self._clock, 0, to_instant(moment))
        self.running.until(lambda: not self._behind(moment), f"all due runs of {moment:%H:%M} are made", PATIENCE_S)

    def _behind(self, moment: datetime) -> list[tuple[str, str]]:
        there = {(row["dag_id"], row["at"]) for row in self.runs()}
        due = {
            (dag_id, slot.isoformat())
            for pair in self.pairs
            for dag_id, slots in (
                (pair.up, pair.made if pair.case != "absent" or moment >= UNPAUSED else []),
                (pair.down, pair.waits),
            )
            for slot in slots
            if slot <= moment
        }
        return sorted(due - there)

    def runs(self) -> list[dict[str, Any]]:
        """All runs of the day, from the database itself: the command line would take most of the test's time."""
        with closing(sqlite3.connect(f"file:{self.running.home}/gnomon.db?mode=ro", uri=True)) as database:
            found = database.execute(
                "SELECT dag_id, run_after, run_id, state, reason FROM dag_run JOIN dag USING (dag_pk) WHERE run_after >= ?",
                (to_instant(MORNING),),
            ).fetchall()
        states = {1: "queued", 2: "running", 100: "success", 101: "failed"}
        return [
            {
                "dag_id": dag_id,
                "at": to_datetime(at).isoformat(),
                "run_id": run_id,
                "state": states[state],
                "reason": reason,
            }
            for dag_id, at, run_id, state, reason in found
        ]

    def rules(self) -> dict[tuple[str, str], set[str]]:
        """(DAG, planned time) to the rules by which its slots were found."""
        with closing(sqlite3.connect(f"file:{self.running.home}/gnomon.db?mode=ro", uri=True)) as database:
            rows = database.execute(
                "SELECT dag_id, run_after, rule FROM run_wait JOIN dag_run ON run_pk = down_run JOIN dag USING (dag_pk)"
            ).fetchall()
        found: dict[tuple[str, str], set[str]] = {}
        for dag_id, at, rule in rows:
            found.setdefault((dag_id, to_datetime(at).isoformat()), set()).add(rule)
        return found

    def sort_key(self) -> list[tuple[str, str, str]]:
        """What tasks said, in order: begins, fails or ends, the DAG, and the planned time."""
        path = self.running.home / "order"
        lines = path.read_text().splitlines() if path.exists() else []
        return [(word, dag_id, datetime.fromisoformat(at).isoformat()) for word, dag_id, at in map(json.loads, lines)]

    def places(self) -> dict[tuple[str, str, str], int]:
        """Each word to its place in the order, the first if it was said again."""
        found: dict[tuple[str, str, str], int] = {}
        for place, line in enumerate(self.sort_key()):
            found.setdefault(line, place)
        return found

    def said(self, word: str) -> None:
        """A word of the test itself between those of the tasks."""
        with (self.running.home / "order").open("a") as file:
            file.write(json.dumps([word, "", MORNING.isoformat()]) + "\n")


@contextmanager
def virtual_day(of: list[Pair]) -> Iterator[VirtualDay]:
    with ExitStack() as opened:
        file = opened.enter_context(tempfile.NamedTemporaryFile())
        file.write(struct.pack("<q", to_instant(MORNING - timedelta(minutes=10))))
        file.flush()
        clock = opened.enter_context(mmap.mmap(file.fileno(), 8))
        path = os.pathsep.join(filter(None, (str(CLOCK), os.environ.get("PYTHONPATH"))))
        options = {
            "PYTHONPATH": path,
            "GNOMON_TEST_CLOCK": file.name,
            "GNOMON__WORKERS__ATTEMPTS_PER_CHILD": "50",
            "GNOMON__CORE__PARALLELISM": "8",
        }
        running = opened.enter_context(product({}, options))
        running.do("pools", "set", "late", "0")
        (running.home / "pairs.json").write_text(json.dumps([pair.row() for pair in of]))
        running.write("pairs.py", DAG_FILE)
        running.has_dag(of[-1].down)
        yield VirtualDay(running, clock, of)


@pytest.mark.parametrize(
    "names", [pytest.param(SHORT, id="short"), pytest.param(None, id="all", marks=pytest.mark.soak)]
)
def test_every_run_starts_when_what_it_waits_for_is_done_and_not_before(names: tuple[str, ...] | None) -> None:
    of = pairs(None if names is None else iter(names))
    with virtual_day(of) as day:
        moment = MORNING
        while moment < UNPAUSED:
            day.is_now(moment)
            moment += STEP
        for pair in of:
            if pair.case == "absent":
                day.running.do("dags", "unpause", pair.up)
        day.is_now(UNPAUSED)
        while moment < EVENING:
            day.is_now(moment)
            moment += STEP
        day.is_now(EVENING)
        day.said("late ones are let go")
        day.running.do("pools", "set", "late", "100")
        day.running.until(lambda: not _unfinished(day), "every run that can end has ended", PATIENCE_S)
        _judge(day)
        day.said("repaired")
        _repair(day)
        day.running.until(
            lambda: all(run["state"] not in ("queued", "running") for run in day.runs()),
            "the repaired ones are done",
            PATIENCE_S,
        )
        _judge_repaired(day)


def _waiting(day: VirtualDay) -> set[tuple[str, str]]:
    """Runs that are to wait until their upstream is repaired."""
    return {
        (pair.down, slot.isoformat())
        for pair in day.pairs
        if pair.case == "wait"
        for slot, (upstream, _) in pair.waits.items()
        if pair.failing in upstream
    }


def _unfinished(day: VirtualDay) -> list[tuple[str, str]]:
    waiting = _waiting(day)
    open_ones = [(run["dag_id"], run["at"]) for run in day.runs() if run["state"] in ("queued", "running")]
    return [one for one in open_ones if one not in waiting]


def _judge(day: VirtualDay) -> None:
    runs = {(run["dag_id"], run["at"]): run for run in day.runs()}
    order = day.places()
    let_go = order["late ones are let go", "", MORNING.isoformat()]
    rules = day.rules()
    expected = {
        (dag, slot.isoformat())
        for pair in day.pairs
        for dag, slots in ((pair.up, pair.made), (pair.down, pair.waits))
        for slot in slots
    }
    assert runs.keys() == expected
    for pair in day.pairs:
        for slot, (upstream, rule) in pair.waits.items():
            key = (pair.down, slot.isoformat())
            failing = pair.failing in upstream if pair.failing else False
            run = runs[key]
            begun = order.get(("begins", *key))
            assert rules[key] == {rule}, key
            if failing and pair.case == "wait":
                assert (run["state"], run["reason"], begun) == ("queued", f"waits for {pair.up} (1 failed)", None), key
            elif failing and pair.case == "cancel":
                assert (
                    run["state"] == "failed"
                    and run["reason"].startswith(f"cancelled: {pair.up}: run ")
                    and begun is None
                ), key
            else:
                assert run["state"] == "success" and begun is not None, key
                for up in upstream:
                    done = order["fails" if up == pair.failing else "ends", pair.up, up.isoformat()]
                    assert done < begun, (key, up)
                assert pair.case != "late" or not upstream or begun > let_go, key


def _repair(day: VirtualDay) -> None:
    (day.running.home / "repaired").touch()
    for run in day.runs():
        pair = next((pair for pair in day.pairs if pair.up == run["dag_id"] and pair.case == "wait"), None)
        if pair is not None and pair.failing is not None and run["at"] == pair.failing.isoformat():
            day.running.do("runs", "clear", run["dag_id"], run["run_id"])


def _judge_repaired(day: VirtualDay) -> None:
    waiting = _waiting(day)
    runs = {(run["dag_id"], run["at"]): run for run in day.runs()}
    order = day.places()
    for pair in day.pairs:
        for slot in pair.waits:
            key = (pair.down, slot.isoformat())
            if key in waiting:
                assert pair.failing is not None and runs[key]["state"] == "success", key
                assert order["ends", pair.up, pair.failing.isoformat()] < order[("begins", *key)], key


def test_the_situations_are_those_of_the_tables() -> None:
    for situation in SITUATIONS:
        pair = Pair(situation, "success")
        rules = {rule for _, rule in pair.waits.values()}
        assert pair.waits and rules <= situation.rules, (situation.name, rules)
