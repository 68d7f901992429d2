"""`LiveCopies.append_line`: a line at the end of a log whose worker is elsewhere, or gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon.storage.remote_logs.live_copies import LIVE, LiveCopies

pytestmark = pytest.mark.pure

NAME = "dag_id=d/run_id=r/task_id=t.attempt=1.log"


@pytest.mark.parametrize(("before", "after"), [(None, "why\n"), ("said\n", "said\nwhy\n"), ("cut of", "cut of\nwhy\n")])
@pytest.mark.parametrize("folder", ["", LIVE])
def test_the_line_is_the_last_one_of_the_log_or_of_its_copy(
    tmp_path: Path, before: str | None, after: str, folder: str
) -> None:
    path = tmp_path / folder / NAME
    if before is not None:
        path.parent.mkdir(parents=True)
        path.write_text(before)
    LiveCopies(tmp_path).append_line(NAME, "why")
    written = tmp_path / LIVE / NAME if before is None else path
    assert written.read_text() == after
