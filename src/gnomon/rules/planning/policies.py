"""Which due slots get a run: the rules of `catchup`, `catchup_window` and `misfire`.

    the slot is                                and is              rule
    before the DAG became active (`active_since`) too old             catchup_window: skipped
                                               late                catchup: created; without it, only the newest of these
    after that                                 late                misfire: created, only the newest, or skipped
    anywhere                                   on time             created

"Late": by more than `scheduler.misfire_grace`, for any reason (no scheduler ran, or max_active_runs held the slot).
"Became active": the DAG was unpaused, was added to a file, or got another schedule; the store records the instant.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from gnomon.model.instants import SECOND, Instant, add_seconds, clamp, to_units
from gnomon.model.sentences import render_shared, say
from gnomon.model.slots import PlannedRun
from gnomon.model.spec import DagSpec


@dataclass(frozen=True, slots=True)
class SlotExclusion:
    """The slots to skip: all before `instant`, or all but the newest up to `instant`."""

    kind: Literal["all_before", "but_newest"]
    instant: Instant
    reason: str


@dataclass(frozen=True, slots=True)
class PlanningPolicies:
    """The planning policies of one DAG at one instant."""

    catchup: bool
    misfire: str
    overlap: str
    active_since: Instant
    """Since when the DAG has been active with this schedule."""
    oldest: Instant | None
    """Start of the catchup window: no slot before it gets a run. None: no window."""
    window_s: float | None
    grace: Instant

    def find_exclusion(self, at: Instant, now: Instant) -> SlotExclusion | None:
        """The exclusion that skips the slot at instant `at`; None if the slot gets a run."""
        before = at < self.active_since
        if before and self.oldest is not None and at < self.oldest:
            window = str(timedelta(seconds=self.window_s or 0)).removesuffix(", 0:00:00")
            return SlotExclusion(
                "all_before", self.oldest, render_shared(say("slot_is_before_catchup_window", limit=window))
            )
        if now - at <= self.grace:
            return None
        if before:
            if self.catchup:
                return None
            upto = now if self.misfire == "latest" else min(now, self.active_since - 1)
            return SlotExclusion("but_newest", upto, render_shared(say("without_catchup_newest_runs")))
        if self.misfire == "all":
            return None
        if self.misfire == "skip":
            reason = render_shared(say("slot_was_late", duration=self.grace / SECOND))
            return SlotExclusion("all_before", now - self.grace, reason)
        return SlotExclusion(
            "but_newest", now, render_shared(say("of_late_slots_newest_runs", duration=self.grace / SECOND))
        )

    def visits_every_slot(self, last: Instant | None) -> bool:
        """True if every slot after `last` is evaluated; else the timetable itself steps to the newest."""
        return self.catchup or (last is not None and last >= self.active_since)

    def view_instant(self, now: Instant) -> Instant:
        """The `now` that the timetable gets when it has to find the newest slot."""
        return now if self.misfire == "latest" or self.catchup else min(now, self.active_since - 1)


def build_policies(dag: DagSpec, active_since: Instant, grace_s: float) -> PlanningPolicies:
    """The policies of the DAG, with defaults filled in. `grace_s`: seconds after which a slot is late."""
    window = dag.catchup_window_s
    return PlanningPolicies(
        catchup=dag.catchup,
        misfire=resolve_misfire(dag),
        overlap=dag.overlap,
        active_since=active_since,
        oldest=None if window is None else add_seconds(active_since, -window),
        window_s=window,
        grace=to_units(grace_s),
    )


def resolve_misfire(dag: DagSpec) -> str:
    """The DAG's `misfire`; by default `all` with catchup and `latest` without."""
    return dag.misfire or ("all" if dag.catchup else "latest")


_PARTS = 2**64


def compute_jitter(dag: DagSpec) -> Instant:
    """The DAG's delay, from 0 to `jitter`: a hash of the DAG id, so that it is the same in every process."""
    if not dag.jitter_s or dag.timetable.is_continuous:
        return 0
    digest = hashlib.sha256(dag.dag_id.encode()).digest()
    return to_units(dag.jitter_s) * int.from_bytes(digest[:8]) // _PARTS


def compute_creation_time(dag: DagSpec, run: PlannedRun) -> Instant:
    """When the run is created: at its planned time, plus the DAG's jitter."""
    return clamp(run.run_after + compute_jitter(dag))
