"""The table of `gnomon dags test` on a terminal."""

from __future__ import annotations

import dataclasses
import io

from rich.console import Console
from rich.live import Live

from gnomon.entry.cli.trial.trial_progress import TableDisplay
from gnomon.queries.report.listings.run_list import TaskInstanceRow

_ROW = TaskInstanceRow(
    dag_id="etl",
    run_id="r",
    task_id="load",
    map_index=-1,
    state="running",
    try_number=1,
    start_date=None,
    end_date=None,
    reason=None,
    rendered_map_index=None,
    executor=None,
)


def test_the_table_is_drawn_again_only_when_a_row_has_changed() -> None:
    output = io.StringIO()
    with Live(console=Console(file=output, force_terminal=True, width=80), auto_refresh=False) as live:
        display = TableDisplay(live)
        display.show([_ROW])
        drawn = output.getvalue()
        display.show([_ROW])
        assert output.getvalue() == drawn
        display.show([dataclasses.replace(_ROW, state="success")])
        assert "success" in output.getvalue()
        display.write(["a line of the log"])
        assert output.getvalue().rindex("success") > output.getvalue().index("a line of the log")
