"""The settings of the monitor: from the configuration where a user may change them, otherwise constants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gnomon.ground.config import Config
from gnomon.ground.config.alert_channels import AlertChannel
from gnomon.ground.config.alert_rules import AlertRule, read_alert_settings
from gnomon.ground.config.baselines import read_baselines
from gnomon.model.baseline_specs import BaselineSpec
from gnomon.queries.report.explanations.engine_state_reading import build_limits
from gnomon.rules.engine.state.engine_state import EngineLimits

POLL_S = 1.0
"""Seconds between two looks for facts and for due messages."""
SCAN_S = 5.0
"""Seconds between two looks at unfinished runs, import errors, services and open alerts."""
EVENTS_MAX = 500
"""Most facts that one round applies."""
UNFINISHED_RUNS_MAX = 20_000
"""Most unfinished runs that one round compares with rules."""
ITEMS_MAX = 50
"""Most alerts that a message lists; further ones are counted."""
EXPLAINED_MAX = 20
"""Most alerts of one round that get the sentences of `explain`: those of a waiting run need the whole state of the engine."""
P95_AGE_S = 60.0
"""A percentile is computed again after so many seconds."""
RETRY_FIRST_S = 10.0
RETRY_LONGEST_S = 600.0
"""Seconds until the second try of a message, which double with each further one up to the longest."""
SENDERS = 4
"""Messages that are sent at the same time; of each channel one."""
HOUR_S = 3600.0


@dataclass(frozen=True, slots=True)
class MonitorSettings:
    """The configuration of `MonitorService`. Spans are in seconds."""

    rules: tuple[AlertRule, ...] = ()
    channels: Mapping[str, AlertChannel] = field(default_factory=dict)
    base_url: str = ""
    group_wait_s: float = 10.0
    group_interval_s: float = 300.0
    baselines: tuple[BaselineSpec, ...] = ()
    """Those of gnomon.toml."""
    forecast_interval_s: float = 60.0
    forecasts_always: bool = False
    limits: EngineLimits = field(default_factory=EngineLimits)
    """For the sentences of `explain`."""


def build_monitor_settings(cfg: Config) -> MonitorSettings:
    """The settings of this configuration. Raises OptionError for a wrong rule, channel or baseline."""
    alerts = read_alert_settings(cfg.home)
    return MonitorSettings(
        rules=alerts.rules,
        channels=alerts.channels,
        base_url=cfg.text("alerts", "base_url").rstrip("/"),
        group_wait_s=cfg.number("alerts", "group_wait"),
        group_interval_s=cfg.number("alerts", "group_interval"),
        baselines=read_baselines(cfg.home, cfg.text("core", "default_timezone")),
        forecast_interval_s=cfg.number("forecast", "interval"),
        forecasts_always=cfg.boolean("forecast", "always"),
        limits=build_limits(cfg),
    )
