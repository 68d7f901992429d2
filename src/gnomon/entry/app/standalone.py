"""`gnomon standalone`: one command, one home, every service."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable

from gnomon.author_code.processes.kernel import become_subreaper, protect_memory
from gnomon.author_code.processes.process_title import name_service, set_title
from gnomon.entry.app import services
from gnomon.entry.app.checks import HomeLock, browser_address, open_listener, prepare_home
from gnomon.entry.app.database import DatabasePreparation, prepare_database
from gnomon.entry.app.monitor_wiring import is_monitor_needed
from gnomon.entry.app.on_demand import MONITOR, TRIGGERER, ConnectionDemand, MarkDemand, OnDemandStart
from gnomon.entry.app.preload import freeze_heap, import_shared
from gnomon.entry.app.service_process import Service
from gnomon.entry.app.supervisor import Supervisor
from gnomon.ground.clock import SystemClock
from gnomon.ground.config import Config, read_executors, set_current_config
from gnomon.ground.config.alert_rules import read_alert_settings
from gnomon.ground.config.environment import set_variable
from gnomon.model.accounts import FIRST_ACCOUNT
from gnomon.model.executors import LOCAL_EXECUTOR
from gnomon.storage.remote_logs.remote_log_settings import read_remote_log_settings


def run_standalone(cfg: Config, port: int | None = None) -> int:
    """Run all services until SIGTERM or Ctrl-C; returns the exit code. `port` overrides [api] port.

    Raises ConfigurationError when the home cannot be used, another standalone runs in it, the port is in use, the database
    cannot be migrated, gnomon.toml has a wrong rule of alerts, or the options of remote logs are wrong.
    """
    read_alert_settings(cfg.home)
    read_remote_log_settings(cfg)
    new = prepare_home(cfg)
    lock = HomeLock(cfg)
    with open_listener(cfg, port) as listener:
        lock.describe(f"{browser_address(listener)}, started by process {os.getpid()}")
        cfg = _take_address(cfg, browser_address(listener))
        set_current_config(cfg)
        set_title("standalone", cfg.home)
        protect_memory()
        services.configure_log(cfg, "standalone")
        services.warn_of_options_without_effect(cfg)
        become_subreaper()
        for on_demand in (TRIGGERER, MONITOR):
            OnDemandStart(cfg, on_demand).clear_mark()
        has_accounts = cfg.text("api", "auth") == "accounts"
        preparation = DatabasePreparation(cfg, creates_account=has_accounts)
        import_shared()
        supervisor = Supervisor(
            _services(cfg, listener), SystemClock(), in_child=_create_child_setup(cfg, lock, listener)
        )
        supervisor.install_handlers()
        password = prepare_database(cfg, supervisor.stop, preparation, creates_account=has_accounts)
        freeze_heap()
        return supervisor.run(lambda: _print_greeting(cfg, browser_address(listener), new, password))


def _take_address(cfg: Config, address: str) -> Config:
    """The options with `[api] base_url`, for links of tasks and callbacks; processes that this one starts have it too."""
    if not cfg.text("api", "base_url"):
        set_variable("GNOMON__API__BASE_URL", address)
    return cfg.with_base_url(address)


def _services(cfg: Config, listener: socket.socket) -> list[Service]:
    """The services in the order of their start: the service that takes longest to be ready is first. Each is imported in its own process, not in the supervisor."""

    def worker() -> int:
        from gnomon.services.worker import service

        return service.main(cfg)

    def dag_processor() -> int:
        from gnomon.services.dagfiles import service

        return service.main(cfg)

    def scheduler() -> int:
        from gnomon.entry.app.scheduler_wiring import run_scheduler

        return run_scheduler(cfg)

    idle_end_s = _read_idle_end(cfg)

    def api_server() -> int:
        from gnomon.api import service

        return service.main(cfg, listener, idle_end_s, services.build_simulation_starter(cfg))

    def triggerer() -> int:
        from gnomon.entry.app.triggerer_wiring import run_triggerer

        return run_triggerer(cfg)

    def monitor() -> int:
        from gnomon.entry.app.monitor_wiring import run_monitor

        return run_monitor(cfg)

    return [
        *(
            [Service("worker", worker, cfg.number("workers", "shutdown_grace"))]
            if LOCAL_EXECUTOR in read_executors(cfg)
            else []
        ),
        Service("dag-processor", dag_processor),
        Service("scheduler", scheduler),
        Service("api-server", api_server, demand=ConnectionDemand(listener) if idle_end_s else None),
        Service("triggerer", triggerer, demand=MarkDemand(OnDemandStart(cfg, TRIGGERER))),
        Service("monitor", monitor, demand=None if is_monitor_needed(cfg) else MarkDemand(OnDemandStart(cfg, MONITOR))),
    ]


def _read_idle_end(cfg: Config) -> float:
    """After how many seconds without a request the api-server ends, and waits for the next one; 0: it runs always, because workers elsewhere report to it."""
    are_all_local = all(executor.name == LOCAL_EXECUTOR for executor in read_executors(cfg).executors)
    return cfg.number("api", "idle_timeout") if are_all_local else 0.0


def _create_child_setup(cfg: Config, lock: HomeLock, listener: socket.socket) -> Callable[[Service], None]:
    """What each service does first in its process: name itself, configure its log, close descriptors of other services."""

    def prepare(service: Service) -> None:
        name_service(service.name, cfg.home)
        services.configure_log(cfg, service.name)
        lock.close()
        if service.name != "api-server":
            listener.close()

    return prepare


def _print_greeting(cfg: Config, address: str, new: bool, password: str | None) -> None:
    lines = [f"Gnomon runs on {address} with its home in {cfg.home}. Ctrl-C stops it."]
    if new:
        lines += [
            f"This home is new. Put DAG files into {cfg.dags_folder}; `gnomon dags list` shows them.",
            "New DAGs are paused; `gnomon dags unpause DAG` starts one.",
        ]
    if password is not None:
        lines += [
            f"Log in as {FIRST_ACCOUNT} with the password {password}",
            f"The password is shown only now; `gnomon users reset-password {FIRST_ACCOUNT}` gives another one.",
        ]
    print("\n".join(lines), file=sys.stdout, flush=True)
