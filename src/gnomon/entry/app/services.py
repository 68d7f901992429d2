"""Runs one service in the foreground: prepares the database and the log; SIGTERM or Ctrl-C ends the service.

Each function imports its service itself: help of commands loads this module.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.author_code.processes.process_title import name_service
from gnomon.entry.app.database import prepare_database
from gnomon.ground import log
from gnomon.ground.config import Config, set_current_config
from gnomon.ground.config.alert_rules import read_alert_settings
from gnomon.storage.remote_logs.remote_log_settings import read_remote_log_settings

if TYPE_CHECKING:
    from gnomon.entry.app.simulation_process import SimulationProcess


def serve_scheduler(cfg: Config) -> int:
    """Plan and run the DAGs of this database until told to stop; returns the exit code."""
    _set_up(cfg, "scheduler")
    from gnomon.entry.app.scheduler_wiring import run_scheduler

    return run_scheduler(cfg)


def serve_worker(cfg: Config) -> int:
    """Run tasks on this machine until told to stop; returns the exit code."""
    _set_up(cfg, "worker")
    from gnomon.services.worker import service

    return service.main(cfg)


def serve_celery_worker(
    cfg: Config, queues: tuple[str, ...] | None = None, concurrency: int | None = None, hostname: str | None = None
) -> int:
    """Run tasks of the CeleryExecutor until told to stop; returns the exit code. Options apply where an argument is None. The database is not opened."""
    from gnomon.entry.app.celery_settings import find_execution_api, read_celery_settings
    from gnomon.services.worker.remote import service
    from gnomon.services.worker.remote.celery_consumer import ConsumerSettings

    set_current_config(cfg)
    name_service("celery-worker", cfg.home)
    configure_log(cfg, "celery-worker")
    warn_of_options_without_effect(cfg)
    consumer = ConsumerSettings(
        queues or (cfg.text("operators", "default_queue"),),
        concurrency or cfg.integer("celery", "worker_concurrency"),
        cfg.integer("celery", "worker_prefetch_multiplier"),
        hostname or "gnomon@%h",
        cfg.text("logging", "logging_level").upper(),
    )
    return service.main(cfg, read_celery_settings(cfg), consumer, find_execution_api(cfg))


def serve_pod_worker(cfg: Config, attempt_id: str, token_file: Path) -> int:
    """Run one attempt of the KubernetesExecutor; returns the exit code. The database is not opened."""
    from gnomon.entry.app.celery_settings import find_execution_api
    from gnomon.services.worker.remote import pod_service

    set_current_config(cfg)
    name_service("pod-worker", cfg.home)
    configure_log(cfg, "pod-worker")
    warn_of_options_without_effect(cfg)
    return pod_service.main(cfg, attempt_id, token_file, find_execution_api(cfg))


def serve_triggerer(cfg: Config, capacity: int | None = None, queues: tuple[str, ...] | None = None) -> int:
    """Run the triggers of deferred tasks until told to stop; returns the exit code. Options apply where an argument is None."""
    _set_up(cfg, "triggerer")
    from gnomon.entry.app.triggerer_wiring import run_triggerer

    return run_triggerer(cfg, capacity, queues)


def serve_dag_processor(cfg: Config) -> int:
    """Parse DAG files into the database until told to stop; returns the exit code."""
    _set_up(cfg, "dag-processor")
    from gnomon.services.dagfiles import service

    return service.main(cfg)


def serve_api_server(cfg: Config, port: int | None = None) -> int:
    """Serve the page and the API until told to stop; returns the exit code. `port` overrides [api] port."""
    from gnomon.entry.app.checks import browser_address, open_listener

    listener = open_listener(cfg, port)
    _set_up(cfg, "api-server")
    from gnomon.api import service

    log.get_logger("app").info("listening", address=browser_address(listener))
    return service.main(cfg, listener, start_simulation=build_simulation_starter(cfg))


def build_simulation_starter(cfg: Config) -> Callable[[str], SimulationProcess]:
    """How an api-server starts the process of a simulation; what that needs is imported by the first one."""

    def start(simulation_id: str) -> SimulationProcess:
        from gnomon.entry.app.simulation_process import SimulationProcess

        return SimulationProcess(cfg, simulation_id)

    return start


def serve_monitor(cfg: Config) -> int:
    """Evaluate rules of alerts, send messages and clean the database until told to stop; returns the exit code."""
    _set_up(cfg, "monitor")
    from gnomon.entry.app.monitor_wiring import run_monitor

    return run_monitor(cfg)


def configure_log(cfg: Config, service: str) -> None:
    """Configure the log of this process: the name of the service, level, style and files as the options say."""
    log.configure(
        service,
        cfg.text("logging", "logging_level").upper(),
        cfg.text("logging", "style").lower(),
        files=log.read_log_files(cfg),
    )


def warn_of_options_without_effect(cfg: Config) -> None:
    """Log a warning for each option that is set and does not act, and each variable that sets no option, with the reason."""
    for setting in cfg.settings_without_effect():
        log.get_logger("app").warning(
            "option_without_effect",
            option=str(setting.option.key),
            source=setting.source,
            reason=setting.option.description,
        )
    for undeclared in cfg.undeclared_options():
        log.get_logger("app").warning(
            "option_unknown", option=undeclared.option, source=undeclared.source, reason=undeclared.reason
        )


def _set_up(cfg: Config, service: str) -> None:
    read_alert_settings(cfg.home)  # a wrong rule is an error now, not when the first alert is due
    read_remote_log_settings(cfg)  # the same for logs
    set_current_config(cfg)
    name_service(service, cfg.home)
    configure_log(cfg, service)
    warn_of_options_without_effect(cfg)
    prepare_database(cfg)
