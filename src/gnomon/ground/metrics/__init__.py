"""Metrics of one process: `Meter` sends Airflow's names to a statsd server, `ProcessFigures` counts what `/metrics` shows (`definitions.py`)."""

from __future__ import annotations

from gnomon.ground.metrics.figures import ProcessFigures
from gnomon.ground.metrics.meter import Meter, StatsdClient

__all__ = ["Meter", "ProcessFigures", "StatsdClient"]
