"""Each service in the foreground: the database is prepared, the log is set up, SIGTERM or Ctrl-C ends it."""

from __future__ import annotations

from gnomon import log
from gnomon.app.database import prepare_database
from gnomon.config import Config, set_ambient
from gnomon.processes.titles import name_service


def scheduler(cfg: Config) -> int:
    """Plan and run the DAGs of this database until told to stop; returns the exit code."""
    _begin(cfg, "scheduler")
    from gnomon.app.scheduling import run_scheduler

    return run_scheduler(cfg)


def worker(cfg: Config) -> int:
    """Run tasks on this machine until told to stop; returns the exit code."""
    _begin(cfg, "worker")
    from gnomon.worker import service

    return service.main(cfg)


def triggerer(cfg: Config, capacity: int | None = None, queues: tuple[str, ...] | None = None) -> int:
    """Run the triggers of deferred tasks until told to stop; returns the exit code. What is not given is as the options say."""
    _begin(cfg, "triggerer")
    from gnomon.app.triggering import run_triggerer

    return run_triggerer(cfg, capacity, queues)


def dag_processor(cfg: Config) -> int:
    """Parse DAG files into the database until told to stop; returns the exit code."""
    _begin(cfg, "dag-processor")
    from gnomon.app.dag_processing import run_dag_processor

    return run_dag_processor(cfg)


def api_server(cfg: Config, port: int | None = None) -> int:
    """Serve the health page until told to stop; returns the exit code. `port` overrides [api] port."""
    from gnomon.app.checks import address_of, listen

    listener = listen(cfg, port)
    _begin(cfg, "api-server")
    from gnomon.api import service

    log.get("app").info("listening", address=address_of(listener))
    return service.main(cfg, listener)


def configure_log(cfg: Config, service: str) -> None:
    """This process logs under the service's name, as the options say."""
    log.configure(service, cfg.text("logging", "logging_level").upper(), cfg.text("logging", "style").lower())


def _begin(cfg: Config, service: str) -> None:
    set_ambient(cfg)
    name_service(service, cfg.home)
    configure_log(cfg, service)
    prepare_database(cfg)
