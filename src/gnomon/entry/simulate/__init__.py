"""A whole deployment under a virtual clock: real schedulers, a real store, scripted workers, and faults by a seed.

Open `deployment.py` first: `Deployment` runs any number of schedulers over one database in one thread; time passes only when
nothing is due. `faults.py` refuses, loses or duplicates commits and kills processes; `random_actions.py` pauses, triggers,
clears, edits and sets clocks. `auditor.py` compares the records with the specs and the workers' diaries.
`lost_slots.py` finds slots with neither a run nor a reason.
`year_simulation.py` simulates years of schedules; `expected_runs.py` computes the runs that it must have made, with
`reference_schedule.py` and `cron_oracle.py`, which share no code with the timetables.
"""

from __future__ import annotations

from gnomon.entry.simulate.auditor import find_violations
from gnomon.entry.simulate.deployment import Deployment
from gnomon.entry.simulate.faults import FaultPlan, FaultyDatabase, SimulatedCrash
from gnomon.entry.simulate.lost_slots import list_lost_slots
from gnomon.entry.simulate.random_actions import POOL, RandomActions, list_pools_in_use, list_unanswered

__all__ = [
    "POOL",
    "Deployment",
    "FaultPlan",
    "FaultyDatabase",
    "RandomActions",
    "SimulatedCrash",
    "find_violations",
    "list_lost_slots",
    "list_pools_in_use",
    "list_unanswered",
]
