"""Runs the monitor with the real clock, threads and ids; in a standalone it starts when a rule of alerts or a nightly clean needs it.

The supervisor imports this module, and parse processes are forked from it: what knows the store is imported by the monitor alone.
"""

from __future__ import annotations

import uuid
from importlib import metadata
from typing import TYPE_CHECKING

from gnomon.ground import log
from gnomon.ground.clock import Clock, SystemClock
from gnomon.ground.config import Config, OptionError
from gnomon.ground.config.alert_rules import read_alert_settings
from gnomon.ground.config.baselines import read_baselines
from gnomon.ground.config.host_name import read_host_name
from gnomon.ground.wakeups import StopFlag, retry_until_available

if TYPE_CHECKING:
    from gnomon.services.monitor.trace_export import TraceExport
    from gnomon.storage.store import Database

_log = log.get_logger("app")


def is_monitor_needed(cfg: Config) -> bool:
    """Whether gnomon.toml has a rule of alerts, a baseline, a nightly clean, or traces. Raises OptionError for a wrong rule, channel or baseline."""
    baselines = read_baselines(
        cfg.home, cfg.text("core", "default_timezone")
    )  # first: every table is checked at the start
    return (
        bool(baselines)
        or bool(read_alert_settings(cfg.home).rules)
        or is_clean_enabled(cfg)
        or cfg.boolean("traces", "otel_on")
        or cfg.boolean("forecast", "always")
    )


def is_clean_enabled(cfg: Config) -> bool:
    """Whether [housekeeping] clean_at is set."""
    return bool(cfg.text("housekeeping", "clean_at").strip())


def run_monitor(cfg: Config) -> int:
    """Run the monitor until SIGTERM or Ctrl-C; returns the exit code. Raises OptionError for a wrong rule or channel."""
    from gnomon.authoring.sdk.connections import channel as task_api_channel
    from gnomon.changes.alert_channels.channel_senders import ChannelSender
    from gnomon.changes.alert_channels.notifier_process import NotifierCalls
    from gnomon.entry.app.forecast_process import ForecastProcess
    from gnomon.entry.app.nightly_clean import NightlyClean
    from gnomon.queries.taskapi.store_channel import StoreChannel
    from gnomon.services.monitor.service import MonitorService
    from gnomon.services.monitor.settings import build_monitor_settings
    from gnomon.storage.store import load_cipher, open_database

    settings = build_monitor_settings(cfg)
    clock = SystemClock()
    stop = StopFlag().install_handlers()
    db = retry_until_available(
        lambda: open_database(
            cfg.database_url,
            role="monitor",
            synchronous=cfg.text("database", "synchronous").upper(),
            cipher=load_cipher(cfg),
        ),
        stop,
        lambda error: _log.warning("database_unavailable", error=str(error), next="the monitor waits for the database"),
    )
    if db is None:
        return 0
    task_api_channel.install_channel(StoreChannel(db))
    sender = ChannelSender(
        clock,
        NotifierCalls(cfg, db, clock).call,
        cfg.text("email", "email_conn_id") or "smtp_default",
        cfg.text("alerts", "language"),
    )
    clean = NightlyClean(cfg, db, clock)
    monitor_id = str(uuid.uuid4())
    traces = _create_trace_export(cfg, db, clock, monitor_id)

    def do_round() -> None:
        clean.tick()
        if traces is not None:
            traces.tick()

    forecasts = ForecastProcess(cfg)
    service = MonitorService(
        settings=settings,
        db=db,
        clock=clock,
        monitor_id=monitor_id,
        host=read_host_name(cfg.text("core", "hostname_callable")),
        new_id=lambda: str(uuid.uuid4()),
        send=sender.send,
        on_round=do_round,
        start_forecast=forecasts.start,
    )
    try:
        service.run(stop)
    finally:
        if traces is not None:
            traces.close()
        clean.close()
        forecasts.end()
        db.close()
    _log.info("monitor_stopped")
    return 0


def _create_trace_export(cfg: Config, db: Database, clock: Clock, monitor_id: str) -> TraceExport | None:
    """The export of traces if [traces] otel_on is set. Without the packages of the extra it is logged, and alerts go on."""
    if not cfg.boolean("traces", "otel_on"):
        return None
    from gnomon.services.monitor.otlp_sender import OtlpSender  # start-up cost: few monitors export traces
    from gnomon.services.monitor.trace_export import TraceExport

    try:
        sender = OtlpSender(cfg, metadata.version("gnomon"))
    except OptionError as error:
        _log.error("traces_off", reason=str(error))
        return None
    return TraceExport(db, clock, monitor_id, cfg.text("traces", "otel_service"), sender.send, sender.close)
