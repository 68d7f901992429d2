"""The figures of a service, sent to where the options say."""

from __future__ import annotations

from gnomon.config import Config
from gnomon.metrics import Meter, Statsd


def meter_for(cfg: Config) -> Meter:
    """Counts for the whole life of this process."""
    if not cfg.boolean("metrics", "statsd_on"):
        return Meter()
    host, port = cfg.text("metrics", "statsd_host"), cfg.integer("metrics", "statsd_port")
    return Meter(Statsd(host, port, cfg.text("metrics", "statsd_prefix")))
