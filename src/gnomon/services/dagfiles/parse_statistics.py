"""Counts parses for a log entry now and then: `[dag_processor] print_stats_interval`."""

from __future__ import annotations

from gnomon.ground import log
from gnomon.model.spec import ParsedFile

_log = log.get_logger("dagfiles")


class ParseStatistics:
    """The parses since the last entry; there is no entry while nothing was parsed."""

    def __init__(self, interval_s: float | None, now: float) -> None:
        """`interval_s`: seconds between two entries, None for no entries. `now`: the monotonic second."""
        self._interval_s = interval_s
        self._next_at = now + (interval_s or 0.0)
        self._parses = 0
        self._dags: dict[str, int] = {}
        self._failed: set[str] = set()

    def on_parsed(self, parsed: ParsedFile) -> None:
        """Count a parse."""
        if self._interval_s is None:
            return
        self._parses += 1
        self._dags[parsed.path] = len(parsed.dags)
        (self._failed.add if parsed.failures else self._failed.discard)(parsed.path)

    def log_if_due(self, now: float, files: int) -> float | None:
        """Log an entry if one is due; returns the monotonic second of the next one, None when nothing was parsed."""
        if self._interval_s is None or not self._parses:
            return None
        if now >= self._next_at:
            _log.info(
                "parse_statistics",
                files=files,
                parses=self._parses,
                dags_parsed=sum(self._dags.values()),
                files_with_errors=len(self._failed),
            )
            self._next_at = now + self._interval_s
            self._parses = 0
            self._dags.clear()
            self._failed.clear()
            return None
        return self._next_at
