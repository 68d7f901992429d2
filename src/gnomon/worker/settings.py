"""What a worker takes from its installation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gnomon.config import Config, run_folder, without_secrets
from gnomon.executors.interface import WORKER_TTL_S

SLOTS_UNBOUND = 1024
"""`[core] parallelism` 0 means no bound; a machine has one all the same."""
STOP_GRACE_MAX_S = 6.0
"""A worker that ends gives its tasks no longer, so that all of a standalone is gone within 10 s."""
ENTRY_TIMEOUT_S = 5.0
"""A fork that has not entered author code, nor said anything else, for so long is given up."""


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """What the loop needs to know."""

    run_folder: Path
    logs_folder: Path
    slots: int
    environ: Mapping[str, str]
    """Of zygotes and tasks: nothing in it leads to the database."""
    import_limit_s: float = 30.0
    entry_silence_s: float = ENTRY_TIMEOUT_S
    stop_grace_s: float = STOP_GRACE_MAX_S
    """Between SIGTERM and SIGKILL for children, when the worker itself is told to end."""
    shutdown_grace_s: float = 0.0
    """How long running attempts may go on before that, after the worker was told to end."""
    ttl_s: float = WORKER_TTL_S


def build_worker_settings(cfg: Config, environ: Mapping[str, str]) -> WorkerSettings:
    """The settings that hold for this configuration; `environ` is the worker's own environment."""
    inherited = without_secrets(environ, cfg.database_url)
    return WorkerSettings(
        run_folder=run_folder(cfg.home),
        logs_folder=cfg.logs_folder,
        slots=cfg.integer("core", "parallelism") or SLOTS_UNBOUND,
        environ={**inherited, "GNOMON_HOME": str(cfg.home)},
        import_limit_s=cfg.number("core", "dagbag_import_timeout"),
        stop_grace_s=min(cfg.number("core", "killed_task_cleanup_time"), STOP_GRACE_MAX_S),
        shutdown_grace_s=cfg.number("workers", "shutdown_grace"),
    )
