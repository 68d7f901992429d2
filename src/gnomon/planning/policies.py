"""What becomes of a slot that is due: made, or passed, and why. The rules of `catchup`, `catchup_window` and `misfire`.

    the slot lies                              and is              ruled by
    before the DAG was let run (`since`)       too old             catchup_window: passed
                                               late                catchup: made; else of these slots only the newest
    after it                                   late                misfire: made, only the newest, or passed
    anywhere                                   on time             made

"Late": by more than `scheduler.misfire_grace`, for whatever reason (no scheduler was there, or max_active_runs held it).
"Let run": it was unpaused, came into a file, or got another schedule; the store keeps when.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from gnomon.model.instants import SECOND, Instant
from gnomon.model.slots import PlannedRun
from gnomon.model.spec import DagSpec


@dataclass(frozen=True, slots=True)
class SlotExclusion:
    """Slots that are passed: all before `instant`, or all but the newest up to it."""

    kind: Literal["all_before", "but_newest"]
    instant: Instant
    reason: str


@dataclass(frozen=True, slots=True)
class PlanningPolicies:
    """The policies of one DAG, seen from one instant."""

    catchup: bool
    misfire: str
    overlap: str
    since: Instant
    """Since when the DAG has been let run with this schedule."""
    oldest: Instant | None
    """What lies before it is not made up."""
    window_s: float | None
    grace: Instant

    def find_exclusion(self, at: Instant, now: Instant) -> SlotExclusion | None:
        """What passes the slot at that instant; None: it is made."""
        before = at < self.since
        if before and self.oldest is not None and at < self.oldest:
            window = str(timedelta(seconds=self.window_s or 0)).removesuffix(", 0:00:00")
            reason = f"catchup_window: it lay more than {window} before the DAG was let run"
            return SlotExclusion("all_before", self.oldest, reason)
        if now - at <= self.grace:
            return None
        if before:
            if self.catchup:
                return None
            upto = now if self.misfire == "latest" else min(now, self.since - 1)
            return SlotExclusion("but_newest", upto, "catchup=False: of the slots before the DAG was let run, only the newest runs")
        if self.misfire == "all":
            return None
        if self.misfire == "skip":
            reason = f'misfire="skip": it was late by more than {self.grace / SECOND:g} s (scheduler.misfire_grace)'
            return SlotExclusion("all_before", now - self.grace, reason)
        reason = f'misfire="latest": of the slots that are late by more than {self.grace / SECOND:g} s, only the newest runs'
        return SlotExclusion("but_newest", now, reason)

    def visits_every_slot(self, last: Instant | None) -> bool:
        """Whether every slot after the last one is to be looked at; else the timetable goes to the newest by itself."""
        return self.catchup or (last is not None and last >= self.since)

    def view_instant(self, now: Instant) -> Instant:
        """From when the timetable is to look for "the newest"."""
        return now if self.misfire == "latest" or self.catchup else min(now, self.since - 1)


def build_policies(dag: DagSpec, since: Instant, grace_s: float) -> PlanningPolicies:
    """The DAG's policies, defaults filled in."""
    window = dag.catchup_window_s
    return PlanningPolicies(
        catchup=dag.catchup,
        misfire=resolve_misfire(dag),
        overlap=dag.overlap,
        since=since,
        oldest=None if window is None else since - int(window * SECOND),
        window_s=window,
        grace=int(grace_s * SECOND),
    )


def resolve_misfire(dag: DagSpec) -> str:
    """What becomes of the DAG's late slots: as it says, else `all` with catchup and `latest` without."""
    return dag.misfire or ("all" if dag.catchup else "latest")


_PARTS = 2**64


def compute_jitter(dag: DagSpec) -> Instant:
    """From 0 to `jitter`, by the hash of the DAG id: the same in every process, for ever."""
    if not dag.jitter_s or dag.timetable.follows_runs or dag.timetable.path.rpartition(".")[2] == "ContinuousTimetable":
        return 0
    digest = hashlib.sha256(dag.dag_id.encode()).digest()
    return int(dag.jitter_s * SECOND) * int.from_bytes(digest[:8]) // _PARTS


def compute_creation_time(dag: DagSpec, run: PlannedRun) -> Instant:
    """When the run is to be made: at its time, or by the DAG's delay later."""
    return run.run_after + compute_jitter(dag)
