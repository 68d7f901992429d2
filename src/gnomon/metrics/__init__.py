"""Metrics of one process: `Meter` sends Airflow's names to a statsd server, `ProcessFigures` counts what `/metrics` shows (`definitions.py`)."""

from __future__ import annotations

from gnomon.metrics.figures import ProcessFigures
from gnomon.metrics.meter import Meter, StatsdClient

__all__ = ["Meter", "ProcessFigures", "StatsdClient"]
