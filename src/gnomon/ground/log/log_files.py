"""Where services write their log files, and when these are rotated."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gnomon.ground.config import Config


@dataclass(frozen=True, slots=True)
class LogFiles:
    """The log files of services: `FOLDER/SERVICE.log`, and rotated ones, `SERVICE.log.1` the newest."""

    folder: Path
    max_bytes: int
    """The size at which a file is rotated; 0: never."""
    backup_count: int
    """How many rotated files of each service are kept."""

    def find_path(self, service: str) -> Path:
        """The file of a service such as `scheduler`."""
        return self.folder / f"{service}.log"


def read_log_files(cfg: Config) -> LogFiles | None:
    """What the options say; None: services write no files."""
    if not cfg.text("logging", "service_log_folder"):
        return None
    return LogFiles(
        cfg.path("logging", "service_log_folder"),
        cfg.integer("logging", "service_log_max_bytes"),
        cfg.integer("logging", "service_log_backup_count"),
    )
