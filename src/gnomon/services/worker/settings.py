"""The settings of a worker, from the configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gnomon.ground.config import Config, run_folder, without_secrets
from gnomon.model.executors import SLOTS_UNBOUND, WORKER_TTL_S
from gnomon.storage.remote_logs.remote_log_settings import read_remote_log_settings

STOP_GRACE_MAX_S = 6.0
"""The longest grace of tasks when their worker ends, so that `gnomon standalone` ends within 10 s."""
ENTRY_TIMEOUT_S = 5.0
"""A child that sends no message for this time before author code is entered is killed; later while it waits for a processor or a disk (`attempt_supervisor.STARVED`)."""


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """The settings of a worker loop."""

    run_folder: Path
    logs_folder: Path
    slots: int
    environ: Mapping[str, str]
    """The environment of zygotes and tasks, without the address of the database."""
    import_limit_s: float = 30.0
    entry_silence_s: float = ENTRY_TIMEOUT_S
    stop_grace_s: float = STOP_GRACE_MAX_S
    """The time between SIGTERM and SIGKILL for children when the worker ends."""
    shutdown_grace_s: float = 0.0
    """How long running attempts may go on after the worker received a stop signal."""
    ttl_s: float = WORKER_TTL_S
    uploader_environ: Mapping[str, str] | None = None
    """The environment of the process that uploads logs, with the secrets of this one; None: logs stay on this machine."""


def build_worker_settings(cfg: Config, environ: Mapping[str, str], slots: int | None = None) -> WorkerSettings:
    """The settings that hold for this configuration. Raises OptionError for a wrong remote folder of logs.

    `environ`: the worker's own environment. `slots`: None: as [core] parallelism says.
    """
    inherited = without_secrets(environ, cfg.database_url)
    return WorkerSettings(
        run_folder=run_folder(cfg.home),
        logs_folder=cfg.logs_folder,
        slots=slots or cfg.integer("core", "parallelism") or SLOTS_UNBOUND,
        environ={**inherited, "GNOMON_HOME": str(cfg.home)},
        import_limit_s=cfg.number("core", "dagbag_import_timeout"),
        stop_grace_s=min(cfg.number("core", "killed_task_cleanup_time"), STOP_GRACE_MAX_S),
        shutdown_grace_s=cfg.number("workers", "shutdown_grace"),
        uploader_environ=None if read_remote_log_settings(cfg) is None else {**environ, "GNOMON_HOME": str(cfg.home)},
    )
