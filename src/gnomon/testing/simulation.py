"""To test the schedule of a folder of DAG files: the coming days in memory, and what must be true of them. Public."""

from __future__ import annotations

from gnomon.entry.cli.simulations.python_simulation import simulate
from gnomon.entry.projection.simulated_schedule import ScheduledRun, ScheduledTask, SimulatedSchedule

__all__ = ["ScheduledRun", "ScheduledTask", "SimulatedSchedule", "simulate"]
