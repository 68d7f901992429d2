"""Figures of one process under Airflow's names: counted here, and sent to a statsd server where one is named."""

from __future__ import annotations

from gnomon.metrics.meter import Meter, StatsdClient

__all__ = ["Meter", "StatsdClient"]
