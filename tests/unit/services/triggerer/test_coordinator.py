"""What a triggerer claims, what it stores, and who has its triggers when it is gone."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conformance.storeworld import AT
from tests.databases import BOTH, new_database
from tests.simulation.triggering import Diary, ScriptedCrew
from tests.unit.services.triggerer.keeping import Deferred, deferring

from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import Config
from gnomon.model.sentences import render
from gnomon.queries.report.listings.deferral_status import describe_trigger
from gnomon.services.triggerer.coordinator import TriggererCoordinator
from gnomon.services.triggerer.settings import build_triggerer_settings
from gnomon.storage.store import Cipher, FencedError
from gnomon.storage.store.trigger_queue import trigger_claims

FOREIGN = Cipher(lambda: ["b" * 43 + "="])


@pytest.fixture(params=BOTH)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    with new_database(request.param, tmp_path) as address:
        yield address


@pytest.fixture
def deferred(url: str, cfg: Config) -> Iterator[Deferred]:
    with deferring(url, cfg) as made:
        yield made


def test_each_event_is_in_the_mail_of_the_owner_once(deferred: Deferred) -> None:
    waits = [deferred.wait("Nap", payload=number) for number in range(30)]
    one = deferred.keeper()
    deferred.until(lambda: len(deferred.events()) == 30 and not len(one[1]), one)
    assert {key: fired.payload for key, fired in deferred.events().items()} == {
        wait.key: str(n) for n, wait in enumerate(waits)
    }
    assert one[0].stored_count == 30


def test_what_is_over_the_capacity_waits_and_the_most_urgent_goes_first(deferred: Deferred) -> None:
    later = deferred.wait("Nap", seconds=0)
    first = [deferred.wait("Nap", seconds=600, priority=5) for _ in range(2)]
    one = deferred.keeper(capacity=2)
    deferred.until(lambda: len(one[1]) == 2, one)
    one[0].wake()
    one[0].tick()
    assert not deferred.events()
    deferred.gone(first[0], killed=True)
    deferred.until(lambda: later.key in deferred.events(), one)


def test_a_triggerer_of_some_queues_takes_theirs_and_those_of_none(deferred: Deferred) -> None:
    mine, anybodys, others = (deferred.wait("Nap", queue=queue) for queue in ("a", None, "b"))
    one, other = deferred.keeper(queues=("a",)), deferred.keeper(queues=("b", "c"))
    deferred.until(lambda: len(deferred.events()) == 2, one)
    assert deferred.events().keys() == {mine.key, anybodys.key}
    deferred.until(lambda: others.key in deferred.events(), other)


def test_a_trigger_of_a_paused_dag_is_cleaned_up_without_on_kill_and_begins_anew(
    deferred: Deferred, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    wait = deferred.wait("Waits", go=str(tmp_path / "go"), notes=str(notes))
    one = deferred.keeper()
    deferred.until(notes.exists, one)
    deferred.pause("d", True)
    deferred.until(lambda: notes.read_text() == "run\ncleanup\n", one)
    assert not len(one[1])
    deferred.pause("d", False)
    (tmp_path / "go").touch()
    deferred.until(lambda: wait.key in deferred.events(), one)
    assert notes.read_text().startswith("run\ncleanup\nrun\n")


def test_what_has_fired_does_not_begin_anew_though_its_dag_is_paused_before_it_is_stored(
    deferred: Deferred, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gnomon.services.triggerer.coordinator.SEND_BATCH", 1)
    waits = [deferred.wait("Scripted", after_s=10.0, outcome="event") for _ in range(3)]
    clock, diary = VirtualClock(AT), Diary()
    crew = ScriptedCrew(clock, random.Random(0), diary)
    keeper = TriggererCoordinator(
        settings=build_triggerer_settings(deferred.cfg),
        db=deferred.db,
        clock=clock,
        host_pool=crew,
        triggerer_id="one",  # type: ignore[arg-type]
        host="here.test",
        wake_owners=lambda: None,
    )
    keeper.tick()
    assert len(crew) == 3
    for paused in (True, False):
        deferred.pause("d", paused)
        clock.advance(11)
        keeper.tick()
    keeper.tick()
    assert deferred.events().keys() == {wait.key for wait in waits}
    assert set(diary.started.values()) == {1} and not len(crew)


@pytest.mark.parametrize(("killed", "called"), [(True, "run\non_kill\ncleanup\n"), (False, "run\ncleanup\n")])
def test_a_trigger_whose_task_waits_no_longer_is_ended(
    deferred: Deferred, tmp_path: Path, killed: bool, called: str
) -> None:
    notes = tmp_path / "notes"
    wait = deferred.wait("Nap", seconds=600, notes=str(notes))
    one = deferred.keeper()
    deferred.until(notes.exists, one)
    deferred.gone(wait, killed=killed)
    deferred.until(lambda: notes.read_text() == called, one)
    assert not deferred.events()


def test_a_silent_triggerers_triggers_are_taken_over_after_so_many_beats_and_not_before(deferred: Deferred) -> None:
    wait = deferred.wait("Nap", seconds=600)
    silent, other = deferred.keeper(beat_s=5.0), deferred.keeper(beat_s=5.0)
    deferred.until(lambda: len(silent[1]) == 1, silent)
    deferred.lease_s = 10.5
    other[0].tick()
    assert not len(other[1])
    deferred.lease_s = 10.6
    deferred.until(lambda: len(other[1]) == 1, other)
    silent[0].wake()
    with pytest.raises(FencedError):
        silent[0].tick()
    assert wait.key not in deferred.events()


def test_a_triggerer_that_was_fenced_stores_nothing_that_comes_late(deferred: Deferred, tmp_path: Path) -> None:
    deferred.wait("Waits", go=str(tmp_path / "go"))
    late, other = deferred.keeper(beat_s=5.0), deferred.keeper(beat_s=5.0, capacity=1, queues=())
    deferred.until(lambda: len(late[1]) == 1, late)
    deferred.lease_s = 10.6
    other[0].tick()
    (tmp_path / "go").touch()
    with pytest.raises(FencedError):
        deferred.until(deferred.events, late)
    assert not deferred.events()
    deferred.until(deferred.events, other)


def test_a_trigger_that_blocks_is_named_to_who_asks_about_its_task(deferred: Deferred, tmp_path: Path) -> None:
    wait = deferred.wait("BlocksUntil", go=str(tmp_path / "go"), pause=0.05)
    one = deferred.keeper()

    def said() -> str:
        with deferred.db.read() as tx:
            return "; ".join(map(render, describe_trigger(tx, wait.key)))

    deferred.until(lambda: "its trigger blocked all other triggers" in said(), one)
    assert "time.sleep" in said()
    (tmp_path / "go").touch()
    deferred.until(deferred.events, one)


def test_a_triggerer_that_ends_in_good_order_hands_over_at_once(deferred: Deferred) -> None:
    deferred.wait("Nap", seconds=600)
    one, other = deferred.keeper(), deferred.keeper()
    deferred.until(lambda: len(one[1]) == 1, one)
    one[0].retire()
    deferred.until(lambda: len(other[1]) == 1, other)


@pytest.mark.parametrize("read", [False, True])
def test_on_kill_is_called_by_another_where_the_triggerer_died_that_had_to(
    deferred: Deferred, tmp_path: Path, read: bool
) -> None:
    """Before it read the note, or just after."""
    notes = tmp_path / "notes"
    wait = deferred.wait("Nap", seconds=600, notes=str(notes))
    dead, other = deferred.keeper(beat_s=5.0), deferred.keeper(beat_s=5.0)
    deferred.until(lambda: notes.exists() and notes.read_text() == "run\n", dead)
    deferred.gone(wait, killed=True)
    if read:
        with deferred.db.triggerer_write(dead[0].triggerer_id) as tx:
            assert len(trigger_claims.list_ended_triggers(tx, dead[0].triggerer_id).to_kill) == 1
    dead[1].kill()
    assert notes.read_text() == "run\n"
    deferred.lease_s = 10.6
    deferred.until(lambda: not deferred.rows("trigger_end"), other)
    assert notes.read_text() == "run\non_kill\ncleanup\n"
    assert not len(other[1])


def test_on_kill_of_a_trigger_of_a_paused_dag_is_called_though_nobody_runs_it(
    deferred: Deferred, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    wait = deferred.wait("Nap", seconds=600, notes=str(notes))
    one = deferred.keeper()
    deferred.until(notes.exists, one)
    deferred.pause("d", True)
    deferred.until(lambda: notes.read_text() == "run\ncleanup\n", one)
    deferred.gone(wait, killed=True)
    deferred.until(lambda: not deferred.rows("trigger_end"), one)
    assert notes.read_text() == "run\ncleanup\non_kill\ncleanup\n"


def test_a_row_that_another_key_sealed_fails_alone_and_names_the_key(deferred: Deferred) -> None:
    bad, good = deferred.wait("Nap"), [deferred.wait("Nap") for _ in range(3)]
    with deferred.db.write() as tx:
        tx._connection.execute_raw(f"UPDATE trigger SET kwargs = '{FOREIGN.encrypt('{}')}' WHERE run_pk = {bad.run_pk}")
    one = deferred.keeper()
    deferred.until(lambda: len(deferred.events()) == 4, one)
    events = deferred.events()
    assert {events[wait.key].outcome for wait in good} == {"event"}
    assert events[bad.key].outcome == "error"
    assert "the arguments of the trigger cannot be read: the database holds values that" in (
        events[bad.key].reason or ""
    )
    assert "[core] fernet_key" in (events[bad.key].reason or "")


def test_a_note_that_another_key_sealed_is_not_read_for_ever(deferred: Deferred) -> None:
    wait, other_wait = deferred.wait("Nap", seconds=600), deferred.wait("Nap", seconds=600)
    dead, other = deferred.keeper(beat_s=5.0), deferred.keeper(beat_s=5.0)
    deferred.until(lambda: len(dead[1]) == 2, dead)
    deferred.gone(wait, killed=True)
    with deferred.db.write() as tx:
        tx._connection.execute_raw(f"UPDATE trigger_end SET kwargs = '{FOREIGN.encrypt('{}')}'")
    deferred.lease_s = 10.6
    deferred.until(lambda: not deferred.rows("trigger_end") and len(other[1]) == 1, other)
    assert not deferred.events(), other_wait


def test_one_that_ignores_its_end_is_told_to_who_asks_about_its_task(deferred: Deferred, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    wait = deferred.wait("Stubborn", notes=str(notes))
    one = deferred.keeper(unresponsive_s=0.2)
    deferred.until(notes.exists, one)
    deferred.gone(wait, killed=True)

    def said() -> str:
        with deferred.db.read() as tx:
            return "; ".join(map(render, describe_trigger(tx, wait.key)))

    deferred.until(said, one)
    assert "a trigger of this task: authored.Stubborn was cancelled" in said()
    deferred.until(lambda: not deferred.rows("trigger_end"), one)
    assert not len(one[1])
