"""Removes the local copies of bundle versions that no process uses any more."""

from __future__ import annotations

import fcntl
import shutil
from pathlib import Path

from gnomon.ground.clock import SystemClock
from gnomon.ground.config import current_config
from gnomon.model.instants import SECOND


def remove_unused_versions(versions: Path) -> list[str]:
    """Remove the copies in the folder `versions` that no process uses, were not used lately, and are not among the last used; returns their names.

    What is kept, and how often this looks, say the options `[dag_processor] stale_bundle_cleanup_*`.
    """
    cfg = current_config()
    interval_s = cfg.number("dag_processor", "stale_bundle_cleanup_interval")
    mark = versions / ".cleaned"
    now_s = SystemClock().now() / SECOND
    if not interval_s or not versions.is_dir() or (mark.exists() and now_s - mark.stat().st_mtime < interval_s):
        return []
    mark.touch()
    used_at = {path: _last_use(path) for path in versions.iterdir() if path.is_dir() and not path.name.startswith(".")}
    oldest_first = sorted(used_at, key=lambda path: used_at[path])
    keep = cfg.integer("dag_processor", "stale_bundle_cleanup_min_versions")
    until = now_s - cfg.number("dag_processor", "stale_bundle_cleanup_age_threshold")
    candidates = oldest_first[: max(0, len(oldest_first) - keep)]
    return [path.name for path in candidates if used_at[path] <= until and _remove_if_unused(path)]


def _last_use(version: Path) -> float:
    lock = version.with_name(f"{version.name}.lock")
    return (lock if lock.exists() else version).stat().st_mtime


def _remove_if_unused(version: Path) -> bool:
    """Remove the copy unless a process holds its lock. The file of the lock stays: another process may be opening it."""
    with version.with_name(f"{version.name}.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        removed = version.with_name(f".{version.name}.removed")
        version.rename(removed)
        shutil.rmtree(removed, ignore_errors=True)
    return True
