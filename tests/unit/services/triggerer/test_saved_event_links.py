"""The folder of saved events is written by the code of triggers: what stands in it leads the coordinator nowhere else."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from tests.unit.ground.log.traps import TRAPS, trapped

from gnomon.model.asset_watchers import WatcherEvent
from gnomon.services.triggerer.saved_events import SavedEvents

EVENT = WatcherEvent(asset_trigger_pk=1, uid="1", payload="1", identity="i")
IN_PLACE = [trap for trap in TRAPS if "in place of the" not in trap]


@pytest.mark.parametrize("trap", IN_PLACE)
def test_what_is_no_event_is_put_aside_and_the_others_are_read(tmp_path: Path, trap: str) -> None:
    saved = SavedEvents(str(tmp_path / "events"))
    with trapped(tmp_path / "events" / "0.json", tmp_path / "outside", trap):
        (tmp_path / "events" / "1.json").symlink_to(tmp_path / "nothing")
        saved.save(EVENT)
        assert list(saved.list_left(time.time(), -1.0)) == [EVENT]
        assert list(saved.list_left(time.time(), -1.0)) == [EVENT]
        assert not (tmp_path / "events" / "0.json").exists()


@pytest.mark.parametrize("trap", [trap for trap in IN_PLACE if trap != "a folder"])
def test_an_event_is_written_through_no_link(tmp_path: Path, trap: str) -> None:
    saved = SavedEvents(str(tmp_path / "events"))
    name = saved._file_of(EVENT).name
    for place in (name, f"{name}.draft"):
        with trapped(tmp_path / "events" / place, tmp_path / "outside", trap):
            saved.save(EVENT)
            assert list(saved.list_left(time.time(), -1.0)) == [EVENT]
        saved.drop(EVENT)
