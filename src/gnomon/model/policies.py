"""The words for what becomes of slots that are late or overlap."""

from __future__ import annotations

MISFIRES = ("latest", "all", "skip")
"""What becomes of the slots of a DAG that was let run, when they are late: the newest of them runs, all do, none does."""
OVERLAPS = ("queue", "allow", "skip", "cancel_running")
"""What becomes of a due slot while a run is active."""
