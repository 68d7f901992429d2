"""The values of the DAG arguments `misfire` and `overlap`: what happens to slots that are late or overlap."""

from __future__ import annotations

MISFIRES = ("latest", "all", "skip")
"""Late slots of a DAG: only the newest runs, all run, none runs."""
OVERLAPS = ("queue", "allow", "skip", "cancel_running")
"""A slot that is due while a run is active: its run is queued, starts too, is not made, or cancels the running one."""
