"""Metrics of one process under Airflow's names: counted in memory, and sent to a statsd server if one is configured."""

from __future__ import annotations

from gnomon.metrics.meter import Meter, StatsdClient

__all__ = ["Meter", "StatsdClient"]
