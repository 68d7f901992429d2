"""The one dag-processor of a home."""

from __future__ import annotations

from gnomon import log
from gnomon.config import Config, run_folder
from gnomon.dagfiles import service
from gnomon.wakeups import DAG_PROCESSOR_LOCK, ProcessLock

_log = log.get_logger("app")


def run_dag_processor(cfg: Config) -> int:
    """Parse DAG files until told to stop; while another dag-processor of this home does, wait for it to end."""
    presence = ProcessLock(run_folder(cfg.home), DAG_PROCESSOR_LOCK)
    try:
        if not presence.acquire(wait=False):
            _log.info("waiting", reason="another dag-processor of this home is active; this one takes over when it ends")
            presence.acquire(wait=True)
        return service.main(cfg)
    finally:
        presence.close()
