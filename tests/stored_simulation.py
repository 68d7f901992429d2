"""A simulation that is done, stored as its process stores it: for tests of the page, which compute none."""

from __future__ import annotations

from gnomon.model.baselines import BaselineLevel
from gnomon.model.instants import SECOND, Instant, iso
from gnomon.model.sentences import render, say
from gnomon.model.simulations import (
    ComparedBaseline,
    ComparedPool,
    ComparedRun,
    JudgedExpectation,
    LoadSpan,
    SimulationAnswer,
    WorldTimes,
)
from gnomon.storage.store import Transaction
from gnomon.storage.store.alert_records import simulation_jobs

ID = "example"
MINUTE = 60 * SECOND
SCENARIO = (
    '{"for": "1d", "set": {"nightly.load": "+50%"}, "pool": {"narrow": 1}, "expect": ["gated ends before 07:00"]}'
)
ADDRESS = (
    "/what-if?change=%5B%22set%20nightly.load%3D%2B50%25%22%2C%22pool%20narrow%3D1%22%2C"
    "%22expect%20gated%20ends%20before%2007%3A00%22%5D&id=" + ID
)


def put_simulation(tx: Transaction, account: str, now: Instant) -> None:
    """The job with the id ID, of this account (its key and name)."""
    simulation_jobs.remove_old_jobs(tx, now, 0)
    simulation_jobs.add_job(tx, ID, account, SCENARIO, 20, now - 5 * SECOND)
    simulation_jobs.put_answer(tx, ID, build_answer(now - 4 * SECOND), now)


def build_answer(at: Instant) -> SimulationAnswer:
    """Runs that end later, move, appear and vanish; a baseline that breaks, a pool in which something waits."""

    def run(dag_id: str, start: int, before: int | None, after: int | None, change: str, *reasons: str) -> ComparedRun:
        due = at + start * MINUTE
        sides = [
            None if end is None else WorldTimes(run_after=due, start_p50=due, end_p50=at + end * MINUTE)
            for end in (before, after)
        ]
        shift_s = None if before is None or after is None else (after - before) * 60.0
        return ComparedRun(
            dag_id=dag_id,
            run_id=f"scheduled__{iso(due)}",
            run_type="scheduled",
            change=change,
            before=sides[0],
            after=sides[1],
            shift_s=shift_s or None,
            reasons=reasons,
        )

    longer = render(say("step_takes_longer", name="nightly.load", duration=3600.0, usual=2400.0))
    waits = render(
        say(
            "step_waits_longer_for_pool",
            name="gated.open",
            duration=1260.0,
            pool="narrow",
            count=1,
            other_value="nightly.load",
        )
    )
    return SimulationAnswer(
        at=at,
        since=at,
        until=at + 1440 * MINUTE,
        samples=20,
        runs=(
            run("nightly", 30, 80, 100, "ends later", longer),
            run("gated", 90, 120, 141, "ends later", waits, longer),
            run("mapped", 60, None, 75, "appears"),
            run("quiet", 100, 130, None, "vanishes"),
            *(run("hostile", 10 * number, 10 * number + 4, 10 * number + 4, "") for number in range(12)),
        ),
        baselines=(
            ComparedBaseline(
                name="morning",
                of=("nightly", "gated"),
                due_at=at + 130 * MINUTE,
                level_before=BaselineLevel.SAFE,
                level_after=BaselineLevel.CERTAIN_BREACH,
                end_before=at + 120 * MINUTE,
                end_after=at + 141 * MINUTE,
                breach_after=0.98,
            ),
        ),
        pools=(
            ComparedPool(
                pool="narrow",
                slots_before=2,
                slots_after=1,
                load_before=(LoadSpan(at + 30 * MINUTE, at + 80 * MINUTE, 2, 0),),
                load_after=(
                    LoadSpan(at + 30 * MINUTE, at + 80 * MINUTE, 1, 1),
                    LoadSpan(at + 80 * MINUTE, at + 120 * MINUTE, 1, 0),
                ),
            ),
        ),
        expectations=(
            JudgedExpectation(
                text="gated ends before 07:00", dag_id="gated", broken_before=0.0, broken_after=0.35, why=waits
            ),
        ),
        notes=(render(say("pool_has_other_size", pool="narrow", count=1, at_number="2")),),
        assumptions=(render(say("forecast_without_workers")),),
    )
