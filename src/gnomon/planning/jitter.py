"""By how much the runs of a DAG are made later than planned, so that many DAGs of one schedule do not start at one instant.

The slot stays what it is: its run_after, run id and data interval are those of the timetable. Only its making is moved.
"""

from __future__ import annotations

import hashlib

from gnomon.model.instants import SECOND, Instant
from gnomon.model.slots import PlannedRun
from gnomon.model.spec import DagSpec

_PARTS = 2**64


def delay(dag: DagSpec) -> Instant:
    """From 0 to `jitter`, by the hash of the DAG id: the same in every process, for ever."""
    if not dag.jitter_s or dag.timetable.follows_runs or dag.timetable.path.rpartition(".")[2] == "ContinuousTimetable":
        return 0
    digest = hashlib.sha256(dag.dag_id.encode()).digest()
    return int(dag.jitter_s * SECOND) * int.from_bytes(digest[:8]) // _PARTS


def made_at(dag: DagSpec, run: PlannedRun) -> Instant:
    """When the run is to be made: at its time, or by the DAG's delay later."""
    return run.run_after + delay(dag)
