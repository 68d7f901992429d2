"""Words about files: of logs, backups, DAGs and settings."""

from __future__ import annotations

WORDS: dict[str, str | tuple[str, str]] = {
    "log_file_does_not_exist": "there is no log file {file!r} of this task instance or run",
}
