"""A whole deployment under a virtual clock: real schedulers, a real store, scripted workers, and faults at every fault point.

`Deployment` runs any number of schedulers over one database in one thread; time passes only when nobody has anything to
do. `faults` makes the store refuse, lose or double-cross commits and kills schedulers and workers, by a seed; `RandomActions` pause,
trigger, clear, edit and set clocks. `find_violations`
knows only the specs and what the workers' diaries say, and finds what should not be.
"""

from __future__ import annotations

from gnomon.simulate.auditor import find_violations
from gnomon.simulate.deployment import Deployment
from gnomon.simulate.faults import FaultPlan, FaultyDatabase, SimulatedCrash
from gnomon.simulate.random_actions import POOL, RandomActions, list_pools_in_use, list_unanswered

__all__ = [
    "POOL", "Deployment", "FaultPlan", "FaultyDatabase", "RandomActions", "SimulatedCrash", "find_violations", "list_pools_in_use", "list_unanswered",
]
