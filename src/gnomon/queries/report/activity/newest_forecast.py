"""`NewestForecastCache`: the newest forecast of the monitor for a server that is asked again and again: decoded once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from gnomon.model.baselines import ForecastReport
from gnomon.model.instants import Instant
from gnomon.storage.store import Transaction
from gnomon.storage.store.alert_records import baseline_states


@dataclass(frozen=True)
class NewestForecast:
    """A forecast, and what is looked up in it."""

    report: ForecastReport

    @cached_property
    def ends(self) -> Mapping[tuple[str, str], Instant]:
        """By DAG id and run id: the end in half of the futures, of runs that had begun when the state was read."""
        return {
            (run.dag_id, run.run_id): run.end_p50
            for run in self.report.runs
            if run.end_p50 is not None and run.start_p50 is not None and run.start_p50 < self.report.at
        }


class NewestForecastCache:
    """Reads the body, which may have thousands of runs, only when there is a newer one."""

    def __init__(self) -> None:
        self._newest: NewestForecast | None = None

    def find(self, tx: Transaction) -> NewestForecast | None:
        """The newest forecast, also an old one; None: there is none. Several threads may read the same one at once."""
        head = baseline_states.find_forecast_head(tx)
        return None if head is None else self._find_body(tx, head.at)

    def find_ends(self, tx: Transaction, now: Instant) -> Mapping[tuple[str, str], Instant]:
        """The ends that a fresh forecast predicts; none when it is old."""
        head = baseline_states.find_forecast_head(tx)
        newest = None if head is None or not head.is_fresh(now) else self._find_body(tx, head.at)
        return {} if newest is None else newest.ends

    def _find_body(self, tx: Transaction, at: Instant) -> NewestForecast | None:
        newest = self._newest
        if newest is not None and newest.report.at == at:
            return newest
        report = baseline_states.find_forecast(tx)
        self._newest = newest = None if report is None else NewestForecast(report)
        return newest
