"""A gate that lets only the newest scheduled run through."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gnomon.model.slots import DataInterval, TimeRestriction
from gnomon.model.states import DagRunType
from gnomon.sdk import timezone
from gnomon.sdk.branch import BaseBranchOperator

_ANY_TIME = TimeRestriction(earliest=None, latest=None, catchup=True)


class LatestOnlyOperator(BaseBranchOperator):
    """Skips the tasks directly after it unless this run is the newest that the schedule has due.

    A run that somebody started by hand always passes.
    """

    ui_color = "#e9ffdb"

    def choose_branch(self, context: Any) -> str | Iterable[str] | None:
        run = context["dag_run"]
        if run.run_type != DagRunType.SCHEDULED or self._is_newest(run):
            return list(self.get_direct_relative_ids(upstream=False))
        self.log.info("Not the latest run: a newer one is due. Skipping what comes after.")
        return []

    def _is_newest(self, run: Any) -> bool:
        """Whether the run after this one is not due yet, or there is none."""
        interval = None
        if run.data_interval_start is not None and run.data_interval_end is not None:
            interval = DataInterval(run.data_interval_start, run.data_interval_end)
        info = self.dag.timetable.next_dagrun_info(last_automated_data_interval=interval, restriction=_ANY_TIME)
        return info is None or timezone.utcnow() < info.run_after
