"""Waits and their triggers: read back as written, run by one triggerer at a time, ended once."""

from __future__ import annotations

import select
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import msgspec
import pytest
from tests.conformance.storeworld import AT, World, raw, task
from tests.databases import new_database
from tests.keys import CIPHER
from tests.patience import PATIENCE_S

from gnomon.ground.clock import VirtualClock
from gnomon.model.attempts import AttemptResult
from gnomon.model.deferral import EMPTY_KWARGS, Deferral, DeferralResult
from gnomon.model.ids import TaskKey
from gnomon.model.records import Changes, DeferralRecord, MailRecord, RunRecord, TaskRecord
from gnomon.model.states import DagRunState, TaskInstanceState
from gnomon.rules.engine import events as engine_events
from gnomon.rules.engine.state.engine_state import EngineLimits, EngineState
from gnomon.services.scheduler import event_translation
from gnomon.services.scheduler.multipart_requests import MultipartRequests
from gnomon.services.worker.worker_store import DatabaseWorkerStore
from gnomon.storage.store import (
    Cipher,
    Database,
    FencedError,
    InvalidKey,
    RowsMissing,
    Transaction,
    WrongKey,
    open_database,
)
from gnomon.storage.store.coordination import mailbox
from gnomon.storage.store.dag_records import dags
from gnomon.storage.store.ownership import commit, group_state
from gnomon.storage.store.statements import Statement, load_statements
from gnomon.storage.store.trigger_queue import trigger_claims, triggerer_leases
from gnomon.storage.store.trigger_queue.trigger_claims import MESSAGE_CHARACTERS_MAX, MESSAGE_EVENTS_MAX

BEAT_S = 5.0
SECOND = 1_000_000
TRIGGER = "triggers.MyTrigger"


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(AT)


@pytest.fixture
def db(url: str, clock: VirtualClock) -> Iterator[Database]:
    """Leases go by a clock of ours."""
    database = open_database(url, synchronous="OFF", lease_clock=clock.now, cipher=CIPHER)
    yield database
    database.close()


@pytest.fixture
def run(world: World) -> RunRecord:
    world.dag(tasks=[f"t{n}" for n in range(40)])
    return world.run()


def wait_of(run: RunRecord, number: int = 0, **fields: object) -> DeferralRecord:
    """What the engine makes of a deferral."""
    wait = Deferral(classpath=TRIGGER, kwargs=f'{{"n":{number}}}', next_method="go_on")
    return replace(DeferralRecord(run.run_pk, number, -1, 1, run.dag_pk, wait, AT + number), **fields)  # type: ignore[arg-type]


def deferred(run: RunRecord, *waits: DeferralRecord) -> Changes:
    rows = [task(run, wait.task_no, TaskInstanceState.DEFERRED, defer_seq=wait.defer_seq) for wait in waits]
    return Changes(tasks=rows, deferrals={wait.key: wait for wait in waits})


def join(world: World, *names: str) -> None:
    for name in names:
        with world.db.write() as tx:
            triggerer_leases.register_triggerer(tx, name, "host", 1000)


def let_go(world: World, *claimed: trigger_claims.ClaimedTrigger) -> None:
    """Nobody runs these any more, as after the end of who did."""
    with world.db.write() as tx:
        tx._connection.execute_raw(
            f"UPDATE trigger SET triggerer = NULL WHERE trigger_pk IN ({', '.join(str(one.trigger_pk) for one in claimed)})"
        )


def claim(world: World, me: str = "one", limit: int = 1000, **options: object) -> list[trigger_claims.ClaimedTrigger]:
    with world.db.triggerer_write(me) as tx:
        return trigger_claims.claim_triggers(tx, me, limit, **options)  # type: ignore[arg-type]


def sent(claimed: trigger_claims.ClaimedTrigger, payload: str = '"here"') -> trigger_claims.OutgoingTriggerEvent:
    result = DeferralResult(outcome="event", payload=payload)
    return trigger_claims.OutgoingTriggerEvent(
        claimed.trigger_pk, claimed.key, claimed.defer_seq, claimed.group_no, result
    )


def send(world: World, me: str, *events: trigger_claims.OutgoingTriggerEvent) -> None:
    with world.db.triggerer_write(me) as tx:
        trigger_claims.send_events(tx, me, events)


def notes(world: World, me: str = "one") -> list[tuple[int, bool]]:
    """What it is told to end; True: with on_kill."""
    with world.db.triggerer_write(me) as tx:
        found = trigger_claims.list_ended_triggers(tx, me)
    assert not found.adopted
    return [(pk, False) for pk in found.cancelled] + [(pk, True) for pk in found.to_kill]


def adopted(world: World, me: str, queues: list[str] | None = None) -> list[trigger_claims.ClaimedTrigger]:
    """The on_kill that it is to call of triggers that nobody runs."""
    with world.db.triggerer_write(me) as tx:
        return list(trigger_claims.list_ended_triggers(tx, me, queues).adopted)


def close(world: World, me: str, *trigger_pks: int) -> int:
    """These are gone; how many notes are left."""
    with world.db.triggerer_write(me) as tx:
        trigger_claims.delete_finished_on_kills(tx, me, trigger_pks)
    return world.count("SELECT count(*) FROM trigger_end")


def from_mail(tx: Transaction, letters: list[MailRecord], engine_state: EngineState) -> list[engine_events.EngineEvent]:
    return event_translation.translate_mail(tx, letters, engine_state, MultipartRequests(engine_state), [])


def pause(world: World, paused: bool) -> None:
    with world.db.write() as tx:
        dags.set_paused(tx, "d", paused, "test", AT)


def for_its_owner(wait: DeferralRecord) -> DeferralRecord:
    """What a trigger is called with is no business of the owner."""
    return replace(wait, request=msgspec.structs.replace(wait.request, kwargs=EMPTY_KWARGS))


def loaded(world: World) -> list[TaskRecord]:
    return world.state().tasks


WAITS: dict[str, Callable[[RunRecord], DeferralRecord]] = {
    "an author's trigger": wait_of,
    "with everything": lambda run: wait_of(
        run,
        request=Deferral(classpath=TRIGGER, kwargs='{"a":"ü\\u0000"}', next_kwargs='{"b":1}', timeout_s=30, queue="q"),
        timeout_at=AT + 30,
        priority=-3,
        held_slots=2,
        defer_seq=7,
    ),
    "a timer": lambda run: wait_of(
        run,
        request=Deferral(classpath=TRIGGER, due_at=AT + 9, ends_task=True, timeout_s=2.5),
        due_at=AT + 9,
        timeout_at=AT + 3,
    ),
    "a timer from the deferral on": lambda run: wait_of(
        run, request=Deferral(classpath=TRIGGER, due_in_s=9), due_at=AT + 9
    ),
    "one that has fired": lambda run: wait_of(
        run, result=DeferralResult(outcome="event", payload="[1]", xcoms={"k": "1"})
    ),
}


@pytest.mark.parametrize("make", WAITS.values(), ids=WAITS)
def test_a_wait_reads_back_as_it_was_written(
    world: World, run: RunRecord, make: Callable[[RunRecord], DeferralRecord]
) -> None:
    wait = make(run)
    world.apply(deferred(run, wait))
    wanted = for_its_owner(wait)
    assert [one.deferral for one in loaded(world)] == [wanted]
    with world.db.read() as tx:
        found = group_state.load_run(tx, run.run_pk)
        assert found is not None and found[1][0].deferral == wanted


def test_many_waits_with_and_without_times_are_one_batch(world: World, run: RunRecord) -> None:
    waits = [wait_of(run, n, request=Deferral(classpath=TRIGGER, timeout_s=(None, 3, 2.5)[n % 3])) for n in range(30)]
    world.apply(deferred(run, *waits))
    assert [one.deferral for one in loaded(world)] == waits


def test_an_event_is_kept_for_the_attempt_that_goes_on_and_goes_with_it(world: World, run: RunRecord) -> None:
    wait = wait_of(run, held_slots=1)
    world.apply(deferred(run, wait))
    result = replace(wait, result=DeferralResult(outcome="event", payload="1"), held_slots=0)
    going_on = task(run, 0, TaskInstanceState.QUEUED, defer_seq=1)
    world.apply(Changes(tasks=[going_on], deferrals_ended={wait.key: result}))
    assert loaded(world) == [replace(going_on, deferral=for_its_owner(result))]
    world.apply(
        Changes(tasks=[task(run, 0, TaskInstanceState.SUCCESS, defer_seq=1)], deferrals_deleted=[(wait.key, False)])
    )
    assert world.count("SELECT count(*) FROM trigger") == 0


def test_a_second_deferral_takes_the_place_of_the_first(world: World, run: RunRecord) -> None:
    first, second = wait_of(run), wait_of(run, defer_seq=2)
    world.apply(deferred(run, first))
    changes = deferred(run, second)
    changes.deferrals_deleted.append((first.key, False))
    world.apply(changes)
    assert [one.deferral for one in loaded(world)] == [for_its_owner(second)]


def test_a_wait_that_is_not_there_refuses_the_whole_batch(world: World, run: RunRecord) -> None:
    for changes in (
        Changes(deferrals_deleted=[(TaskKey(run.run_pk, 3), False)]),
        Changes(deferrals_ended={TaskKey(run.run_pk, 3): wait_of(run, 3)}),
    ):
        changes.tasks = [task(run)]
        with pytest.raises(RowsMissing, match="deferrals"):
            world.apply(changes)
    assert loaded(world) == []


def test_no_wait_is_asked_for_where_nothing_has_deferred(world: World, run: RunRecord) -> None:
    world.apply(Changes(tasks=[task(run), task(run, 1, TaskInstanceState.SUCCESS, defer_seq=3)]))
    other = open_database(world.db.url)  # without a key: asking would fail no sooner than reading
    with other.read() as tx:
        assert group_state.load_tasks(tx, [run.run_pk])[0].deferral is None
        with pytest.raises(InvalidKey):
            assert tx.cipher
    other.close()


def test_triggers_are_claimed_once_the_most_urgent_and_the_oldest_first(world: World, run: RunRecord) -> None:
    world.apply(deferred(run, *(wait_of(run, n, priority=n // 2) for n in range(6))))
    join(world, "one", "two")
    first, second = claim(world, "one", 4), claim(world, "two")
    assert [one.key.task_no for one in first] == [4, 5, 2, 3]
    assert [one.key.task_no for one in second] == [0, 1]
    assert claim(world, "one") == claim(world, "two") == []
    one = first[0]
    assert (one.classpath, one.kwargs, one.dag_id, one.run_id, one.task_id) == (
        TRIGGER,
        '{"n":4}',
        "d",
        run.run_id,
        "t4",
    )
    with world.db.read() as tx:
        assert {row.triggerer_id: row.running for row in triggerer_leases.list_triggerers(tx)} == {"one": 4, "two": 2}
        assert trigger_claims.count_unclaimed_triggers(tx) == {}


def test_two_that_claim_at_the_same_time_never_get_the_same(world: World, run: RunRecord) -> None:
    world.apply(deferred(run, *(wait_of(run, n) for n in range(40))))
    join(world, "one", "two")
    found: dict[str, list[int]] = {"one": [], "two": []}

    def all_in_small_batches(me: str) -> None:
        while batch := claim(world, me, 3):
            found[me] += [one.trigger_pk for one in batch]

    threads = [threading.Thread(target=all_in_small_batches, args=(me,)) for me in found]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    both = found["one"] + found["two"]
    assert len(both) == len(set(both))
    assert len(both) + sum(len(claim(world, me)) for me in found) == 40


@pytest.mark.postgres
def test_a_claim_waits_for_nobody_who_is_claiming(world: World, run: RunRecord) -> None:
    if world.db.dialect == "sqlite":
        pytest.skip("SQLite has one writer at a time")
    world.apply(deferred(run, *(wait_of(run, n) for n in range(4))))
    join(world, "one", "two")
    with world.db.triggerer_write("one") as tx:
        first = trigger_claims.claim_triggers(tx, "one", 2)
        second = claim(world, "two", 2)
    assert {one.key.task_no for one in first} | {one.key.task_no for one in second} == {0, 1, 2, 3}


def test_timers_fired_waits_and_other_queues_are_not_claimed(world: World, run: RunRecord) -> None:
    queued = Deferral(classpath=TRIGGER, queue="q")
    world.apply(
        deferred(
            run,
            wait_of(run, 0, due_at=AT + 9),
            wait_of(run, 1, result=DeferralResult(outcome="event")),
            wait_of(run, 2, request=queued),
            wait_of(run, 3),
        )
    )
    join(world, "one")
    with world.db.read() as tx:
        assert trigger_claims.count_unclaimed_triggers(tx) == {"q": 1, None: 1}
    pause(world, True)
    with world.db.read() as tx:
        assert trigger_claims.count_unclaimed_triggers(tx) == {}
    pause(world, False)
    assert [one.key.task_no for one in claim(world, queues=["other"])] == [3]
    assert claim(world, queues=[]) == []
    assert [one.key.task_no for one in claim(world)] == [2]
    assert claim(world, limit=0) == []


def test_a_paused_dag_gets_its_triggers_back_and_keeps_them_until_it_runs(world: World, run: RunRecord) -> None:
    world.apply(deferred(run, wait_of(run, 0), wait_of(run, 1)))
    join(world, "one")
    (first,) = claim(world, limit=1)
    pause(world, True)
    assert claim(world) == []
    with world.db.triggerer_write("one") as tx:
        assert trigger_claims.release_paused_triggers(tx, "one") == [first.trigger_pk]
        assert trigger_claims.release_paused_triggers(tx, "one") == []
    assert claim(world) == [] == notes(world)
    pause(world, False)
    assert [one.key.task_no for one in claim(world)] == [0, 1]
    with world.db.triggerer_write("one") as tx:
        assert trigger_claims.release_paused_triggers(tx, "one") == []


@pytest.mark.parametrize("killed", [True, False])
def test_who_runs_a_trigger_is_told_once_that_its_task_waits_no_longer(
    world: World, run: RunRecord, killed: bool
) -> None:
    world.apply(deferred(run, wait_of(run, 0), wait_of(run, 1)))
    join(world, "one", "two")
    (mine,) = claim(world, limit=1)
    world.apply(Changes(deferrals_deleted=[(wait_of(run, 0).key, killed), (wait_of(run, 1).key, True)]))
    assert notes(world, "two") == []
    assert notes(world) == [(mine.trigger_pk, killed)]
    assert notes(world) == []
    assert close(world, "two", mine.trigger_pk) == killed, "only who runs it may say that it is gone"
    assert close(world, "one", mine.trigger_pk) == 0


@pytest.mark.parametrize("read", [False, True])
def test_an_on_kill_is_not_lost_with_the_triggerer_that_was_told(
    world: World, run: RunRecord, clock: VirtualClock, read: bool
) -> None:
    wait = wait_of(run, request=Deferral(classpath=TRIGGER, kwargs='{"job":7}', queue="q"))
    world.apply(deferred(run, wait))
    join(world, "one")
    (mine,) = claim(world)
    world.apply(Changes(deferrals_deleted=[(wait.key, True)]))
    if read:
        assert notes(world) == [(mine.trigger_pk, True)]
    clock.advance(2.1 * BEAT_S + 0.001)
    join(world, "two", "three")
    assert adopted(world, "two") == []
    assert fence(world, "two") == ["one"]
    assert adopted(world, "two", ["other"]) == []
    (found,) = adopted(world, "two", ["q"])
    assert (found.trigger_pk, found.key, found.classpath, found.kwargs, found.defer_seq) == (
        mine.trigger_pk,
        wait.key,
        TRIGGER,
        '{"job":7}',
        0,
    )
    assert (found.dag_id, found.run_id, found.task_id) == ("d", run.run_id, "t0")
    assert adopted(world, "two") == adopted(world, "three") == []
    assert close(world, "two", mine.trigger_pk) == 0


def test_a_wait_that_ends_while_nobody_runs_its_trigger_is_heard_of_if_somebody_did(
    world: World, run: RunRecord
) -> None:
    world.apply(deferred(run, *(wait_of(run, n) for n in range(4))))
    join(world, "one", "two")
    first, second, third = claim(world, limit=3)
    send(world, "one", sent(second))
    let_go(world, first, third)
    world.apply(Changes(deferrals_deleted=[(wait_of(run, n).key, n != 2) for n in range(4)]))
    assert [one.trigger_pk for one in adopted(world, "two")] == [first.trigger_pk]
    assert close(world, "two", first.trigger_pk) == 0


@pytest.mark.parametrize("read", [False, True])
def test_a_wait_that_took_too_long_is_noted_once(world: World, run: RunRecord, read: bool) -> None:
    """Its task may go on with the timeout and end before the triggerer has a word to say."""
    wait = wait_of(run)
    world.apply(deferred(run, wait))
    join(world, "one")
    (mine,) = claim(world)
    late = replace(wait, result=DeferralResult(outcome="timeout"))
    world.apply(Changes(tasks=[task(run, 0, TaskInstanceState.QUEUED, defer_seq=1)], deferrals_ended={wait.key: late}))
    if read:
        assert notes(world) == [(mine.trigger_pk, True)]
    world.apply(
        Changes(
            tasks=[task(run, 0, TaskInstanceState.FAILED, defer_seq=1, ended_at=AT)],
            deferrals_deleted=[(wait.key, False)],
        )
    )
    assert notes(world) == ([] if read else [(mine.trigger_pk, True)])
    assert close(world, "one", mine.trigger_pk) == 0


def test_a_trigger_that_another_key_has_sealed_has_a_fault_and_the_others_none(world: World, run: RunRecord) -> None:
    world.apply(deferred(run, *(wait_of(run, n) for n in range(3))))
    foreign = Cipher(lambda: ["b" * 43 + "="]).encrypt("{}")
    with world.db.write() as tx:
        tx._connection.execute_raw(f"UPDATE trigger SET kwargs = '{foreign}' WHERE task_no = 1")
    join(world, "one")
    found = {one.key.task_no: one for one in claim(world)}
    assert {number: one.fault is None for number, one in found.items()} == {0: True, 1: False, 2: True}
    assert "every host needs the same key" in (found[1].fault or "")


@pytest.mark.parametrize("whole_dag", [True, False])
def test_deleting_a_run_or_a_dag_tells_who_runs_its_triggers(world: World, run: RunRecord, whole_dag: bool) -> None:
    world.apply(deferred(run, wait_of(run, 0), wait_of(run, 1)))
    join(world, "one")
    (mine,) = claim(world, limit=1)
    with world.db.scheduler_write(world.me) as tx:
        if whole_dag:
            commit.delete_dags(tx, [run.dag_pk])
        else:
            commit.delete_runs(tx, [run.run_pk])
    assert notes(world) == [(mine.trigger_pk, True)]
    assert world.count("SELECT count(*) FROM trigger") == 0
    with world.db.triggerer_write("one") as tx:
        triggerer_leases.retire_triggerer(tx, "one")
    join(world, "two")
    (found,) = adopted(world, "two")
    assert (found.trigger_pk, found.kwargs, found.task_id) == (mine.trigger_pk, mine.kwargs, "" if whole_dag else "t0")


def test_an_event_reaches_its_owner_once_however_often_it_is_sent(world: World, run: RunRecord) -> None:
    world.apply(deferred(run, wait_of(run)))
    join(world, "one", "two")
    (mine,) = claim(world)
    send(world, "one", sent(mine), sent(mine, '"again"'))
    send(world, "two", sent(mine, '"by another"'))
    assert claim(world, "two") == claim(world, "one") == []
    with world.db.read() as tx:
        letters = [letter for letter in mailbox.read_messages(tx, range(64), 100) if letter.kind == "trigger"]
        assert len(letters) == 1
        assert "here" not in letters[0].body
        found = from_mail(tx, letters, EngineState(EngineLimits()))
        standing = trigger_claims.find_deferral_status(tx, mine.key)
    assert found == [engine_events.DeferralEnded(mine.key, 1, DeferralResult(outcome="event", payload='"here"'))]
    assert standing is not None and (standing.is_over, standing.triggerer) == (True, None)


def test_the_events_of_one_owner_share_letters_and_a_large_one_has_its_own(world: World) -> None:
    world.dag(tasks=[f"t{n:03d}" for n in range(MESSAGE_EVENTS_MAX + 3)])
    run = world.run()
    world.apply(deferred(run, *[wait_of(run, n) for n in range(MESSAGE_EVENTS_MAX + 3)]))
    join(world, "one")
    large, bare, *rest = claim(world)
    ends = trigger_claims.OutgoingTriggerEvent(
        bare.trigger_pk, bare.key, bare.defer_seq, bare.group_no, DeferralResult(outcome="success")
    )
    send(world, "one", sent(large, f'"{"x" * MESSAGE_CHARACTERS_MAX}"'), *map(sent, rest), ends)
    with world.db.read() as tx:
        letters = [letter for letter in mailbox.read_messages(tx, range(64), 100) if letter.kind == "trigger"]
        found = [trigger_claims.decode_trigger_events(tx, letter.body) for letter in letters]
    assert sorted(map(len, found)) == [1, 1, 1, MESSAGE_EVENTS_MAX]
    assert sorted(key for letter in found for key, _, _ in letter) == [
        TaskKey(run.run_pk, n, -1) for n in range(MESSAGE_EVENTS_MAX + 3)
    ]
    assert [letter.body.startswith("[") for letter in letters] == [
        len(letter) == 1 and letter[0][0] == bare.key for letter in found
    ]


def test_the_event_of_a_trigger_that_another_runs_meanwhile_counts_and_the_other_is_told(
    world: World, run: RunRecord
) -> None:
    world.apply(deferred(run, wait_of(run)))
    join(world, "one", "two")
    (mine,) = claim(world)
    let_go(world, mine)
    (theirs,) = claim(world, "two")
    send(world, "one", sent(mine))
    send(world, "two", sent(theirs))
    with world.db.read() as tx:
        assert len([letter for letter in mailbox.read_messages(tx, range(64), 100) if letter.kind == "trigger"]) == 1
    world.apply(Changes(deferrals_deleted=[(mine.key, False)]))
    assert (notes(world, "one"), notes(world, "two")) == ([], [(mine.trigger_pk, False)])


def test_a_wait_that_no_triggerer_has_anything_of_goes_without_a_note(world: World, run: RunRecord) -> None:
    world.apply(deferred(run, wait_of(run, due_at=AT)))
    world.apply(
        Changes(
            tasks=[task(run, 0, TaskInstanceState.SUCCESS, defer_seq=1)], deferrals_deleted=[(wait_of(run).key, None)]
        )
    )
    with world.db.read() as tx:
        assert (raw(tx, "SELECT count(*) FROM trigger"), raw(tx, "SELECT count(*) FROM trigger_end")) == (
            [(0,)],
            [(0,)],
        )


def test_a_triggerer_whose_event_is_applied_is_told_nothing_more(world: World, run: RunRecord) -> None:
    world.apply(deferred(run, wait_of(run)))
    join(world, "one")
    (mine,) = claim(world)
    send(world, "one", sent(mine))
    world.apply(Changes(deferrals_deleted=[(mine.key, False)]))
    assert notes(world) == []


def test_a_triggerer_is_taken_over_after_2_1_beats_and_not_before(
    world: World, run: RunRecord, clock: VirtualClock
) -> None:
    world.apply(deferred(run, wait_of(run)))
    join(world, "one")
    clock.advance(1)
    join(world, "two")
    with world.db.triggerer_write("one") as tx:
        assert triggerer_leases.beat_triggerer(tx, "one")
    (mine,) = claim(world)
    clock.advance(2.1 * BEAT_S)
    assert fence(world, "two") == []
    assert claim(world, "two") == []
    clock.advance(0.001)
    assert fence(world, "two") == ["one"]
    assert [one.trigger_pk for one in claim(world, "two")] == [mine.trigger_pk]
    assert fence(world, "two") == []
    with world.db.read() as tx:
        assert [row.triggerer_id for row in triggerer_leases.list_live_triggerers(tx, 1000 * BEAT_S)] == ["two"]


def fence(world: World, me: str) -> list[str]:
    with world.db.triggerer_write(me) as tx:
        triggerer_leases.beat_triggerer(tx, me)
        return triggerer_leases.fence_silent_triggerers(tx, me, BEAT_S)


def test_a_triggerer_that_died_before_the_clock_was_set_back_is_taken_over_and_one_that_beats_is_not(
    world: World, clock: VirtualClock
) -> None:
    join(world, "dead", "alive", "watches")
    clock.step(-3600)
    for name in ("alive", "watches"):
        with world.db.write() as tx:
            assert triggerer_leases.beat_triggerer(tx, name)
    with world.db.autocommit() as tx:
        assert triggerer_leases.has_silent_triggerer(tx, "watches", BEAT_S)
        assert [row.triggerer_id for row in triggerer_leases.list_live_triggerers(tx, BEAT_S)] == ["alive", "watches"]
    with world.db.triggerer_write("watches") as tx:
        assert triggerer_leases.fence_silent_triggerers(tx, "watches", BEAT_S) == ["dead"]
    with world.db.autocommit() as tx:
        assert not triggerer_leases.has_silent_triggerer(tx, "watches", BEAT_S)


@pytest.mark.parametrize("act", ["owner", "triggerer"])
def test_rows_are_locked_in_their_order_whatever_is_done_to_them(
    world: World, run: RunRecord, clock: VirtualClock, act: str
) -> None:
    """Nobody holds a later row while it waits for an earlier one, or two who do so would wait for each other."""
    if world.db.dialect == "sqlite":
        pytest.skip("SQLite has one writer at a time")
    early, late = wait_of(run, 0, timeout_at=AT), wait_of(run, 1)
    world.apply(deferred(run, early, late))
    join(world, "dies first", "dies later")
    last, first = claim(world, "dies later", 1)[0], claim(world, "dies first", 1)[0]
    assert last.key == early.key and first.key == late.key
    clock.advance(100 * BEAT_S)
    join(world, "watches")

    def owner() -> None:
        result = replace(early, result=DeferralResult(outcome="timeout"))
        rows = [task(run, number, TaskInstanceState.SUCCESS, defer_seq=1) for number in (0, 1)]
        world.apply(Changes(tasks=rows, deferrals_deleted=[(late.key, True)], deferrals_ended={early.key: result}))

    def triggerer() -> None:
        with world.db.triggerer_write("watches") as tx:
            assert triggerer_leases.fence_silent_triggerers(tx, "watches", BEAT_S) == ["dies first", "dies later"]

    other = threading.Thread(target=owner if act == "owner" else triggerer)
    with world.db.write() as tx:
        raw(tx, f"SELECT 1 FROM trigger WHERE trigger_pk = {last.trigger_pk} FOR UPDATE")
        other.start()
        until_somebody_waits_for_a_lock(world)
        assert raw(tx, f"SELECT 1 FROM trigger WHERE trigger_pk = {first.trigger_pk} FOR UPDATE NOWAIT")
    other.join(PATIENCE_S)
    assert not other.is_alive()


def until_somebody_waits_for_a_lock(world: World) -> None:
    ends_at = time.monotonic() + PATIENCE_S
    query = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    while not world.count(query):
        assert time.monotonic() < ends_at, "nobody waits"
        time.sleep(0.005)


def test_an_event_of_a_wait_that_took_too_long_is_not_sent(world: World, run: RunRecord) -> None:
    wait = wait_of(run, timeout_at=AT)
    world.apply(deferred(run, wait))
    join(world, "one")
    (mine,) = claim(world)
    result = replace(wait, result=DeferralResult(outcome="timeout"))
    world.apply(
        Changes(tasks=[task(run, 0, TaskInstanceState.SCHEDULED, defer_seq=1)], deferrals_ended={wait.key: result})
    )
    send(world, "one", sent(mine))
    with world.db.read() as tx:
        assert not [letter for letter in mailbox.read_messages(tx, range(64), 100) if letter.kind == "trigger"]
    assert notes(world) == [(mine.trigger_pk, True)]


def test_a_fenced_triggerer_writes_nothing(world: World, run: RunRecord, clock: VirtualClock) -> None:
    world.apply(deferred(run, wait_of(run, 0), wait_of(run, 1)))
    join(world, "one")
    (mine,) = claim(world, limit=1)
    clock.advance(60)
    join(world, "two")
    assert fence(world, "two") == ["one"]
    with world.db.read() as tx:
        before = len(mailbox.read_messages(tx, range(64), 100))
    acts: list[Callable[[], object]] = [
        lambda: claim(world, "one"),
        lambda: send(world, "one", sent(mine)),
        lambda: notes(world, "one"),
        lambda: fence(world, "one"),
    ]
    for act in acts:
        with pytest.raises(FencedError, match="triggerer one"):
            act()
    with world.db.write() as tx:
        assert not triggerer_leases.beat_triggerer(tx, "one")
        assert len(mailbox.read_messages(tx, range(64), 100)) == before
    assert len(claim(world, "two")) == 2


def test_one_that_retires_hands_its_triggers_over_at_once(world: World, run: RunRecord) -> None:
    world.apply(deferred(run, wait_of(run, 0), wait_of(run, 1)))
    join(world, "one", "two")
    claim(world)
    world.apply(Changes(deferrals_deleted=[(wait_of(run, 0).key, True)]))
    with world.db.triggerer_write("one") as tx:
        triggerer_leases.retire_triggerer(tx, "one")
    assert [one.key.task_no for one in claim(world, "two")] == [1]
    assert [one.key.task_no for one in adopted(world, "two")] == [0]
    with pytest.raises(FencedError):
        claim(world, "one")


def test_a_deferral_by_mail_is_sealed_on_its_way(world: World, run: RunRecord) -> None:
    result = AttemptResult(
        attempt_id="a",
        group_no=5,
        run_pk=run.run_pk,
        task_no=0,
        outcome="deferred",
        wait=Deferral(classpath=TRIGGER, kwargs='{"k":"mark"}'),
    )
    presence = DatabaseWorkerStore(lambda: open_database(world.db.url, cipher=CIPHER))
    presence.mail_results("w", [result])
    presence.close()
    with world.db.read() as tx:
        letters = [letter for letter in mailbox.read_messages(tx, [5], 100) if letter.kind == "result"]
        assert "mark" not in letters[0].body
        assert from_mail(tx, letters, EngineState(EngineLimits())) == [engine_events.ResultReceived(result, sender="w")]


def test_a_wait_that_another_key_sealed_keeps_no_other_from_its_owner(world: World, run: RunRecord) -> None:
    waits = [
        wait_of(
            run,
            n,
            request=Deferral(classpath=TRIGGER, next_kwargs=f'{{"n":{n}}}'),
            result=DeferralResult(outcome="event", payload="1"),
        )
        for n in range(3)
    ]
    world.apply(deferred(run, *waits))
    foreign = Cipher(lambda: ["b" * 43 + "="]).encrypt("{}")
    with world.db.write() as tx:
        tx._connection.execute_raw(
            f"UPDATE trigger SET kwargs = '{foreign}', next_kwargs = '{foreign}' WHERE task_no = 0"
        )
        tx._connection.execute_raw(f"UPDATE trigger SET kwargs = '{foreign}', result = '{foreign}' WHERE task_no = 1")
    first, second, third = (one.deferral for one in loaded(world))
    assert first is not None and "every host needs the same key" in msgspec.json.decode(
        first.request.next_kwargs, type=str
    )
    assert second is not None and second.result is not None and second.result.outcome == "error"
    assert "its event cannot be read: the database holds values" in (second.result.reason or "")
    assert third == waits[2]


@pytest.mark.postgres
def test_triggerers_of_other_hosts_are_woken_by_what_waits_for_them_and_by_nothing_else(
    world: World, run: RunRecord
) -> None:
    if world.db.dialect == "sqlite":
        pytest.skip("SQLite has one host")
    elsewhere = open_database(world.db.url)
    fileno = elsewhere.notification_fileno()
    world.apply(deferred(run, wait_of(run, 0, due_at=AT + 9)))
    assert elsewhere.poll_notifications() == 0
    world.apply(deferred(run, wait_of(run, 1)))
    assert fileno in select.select([fileno], [], [], 60)[0]
    assert elsewhere.poll_notifications() == 1
    world.apply(Changes(deferrals_deleted=[(wait_of(run, 1).key, True)]))
    assert fileno in select.select([fileno], [], [], 60)[0]
    elsewhere.close()


def test_a_letter_that_another_key_sealed_stays_where_it_is(world: World, run: RunRecord) -> None:
    world.apply(deferred(run, wait_of(run)))
    join(world, "one")
    send(world, "one", *map(sent, claim(world)))
    other = open_database(world.db.url, cipher=Cipher(lambda: ["b" * 43 + "="], "another key"))
    with other.read() as tx, pytest.raises(WrongKey):
        from_mail(tx, mailbox.read_messages(tx, range(64), 100)[-1:], EngineState(EngineLimits()))
    other.close()


def test_a_run_that_ended_keeps_no_wait(world: World, run: RunRecord) -> None:
    world.apply(deferred(run, wait_of(run)))
    ended = replace(run, state=DagRunState.SUCCESS, ended_at=AT)
    world.apply(
        Changes(
            runs=[ended],
            tasks=[task(run, 0, TaskInstanceState.SUCCESS, defer_seq=1)],
            deferrals_deleted=[(wait_of(run).key, False)],
        )
    )
    with world.db.read() as tx:
        assert raw(tx, "SELECT count(*) FROM trigger") == [(0,)]


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("trigger_claims.pending_work", {"me": "one"}),
        ("trigger_claims.claim", {"me": "one", "limit": 100, "all_queues": True, "queues": []}),
        ("trigger_claims.find_claimed", {"pks": [1, 2, 3]}),
        ("trigger_claims.paused_dags", {"me": "one"}),
        ("trigger_claims.mark_sent", {"pks": [1, 2, 3], "me": "one"}),
        ("deferrals.remove", {"run_pk": [1, 2], "task_no": [3, 4], "map_index": [-1, -1]}),
        ("deferrals.of_runs", {"run_pks": [1, 2]}),
    ],
)
def test_no_question_reads_all_of_50_000_triggers(many: World, name: str, parameters: dict[str, object]) -> None:
    text = load_statements("postgresql")[name].text
    with many.db.write() as tx:
        plan = "\n".join(str(row[0]) for row in tx._connection.rows(Statement("plan", f"EXPLAIN {text}"), parameters))
    assert "Seq Scan on trigger " not in plan, plan


@pytest.fixture(scope="module")
def many() -> Iterator[World]:
    """As many triggers as there may be: half are claimed, a part of the rest is of a paused DAG."""
    with new_database("postgresql") as url:
        database = open_database(url, cipher=CIPHER)
        made = World(database)
        for dag_id in ("d", "p"):
            made.dag(dag_id)
        with database.write() as tx:
            dags.set_paused(tx, "p", True, "test", AT)
            tx._connection.execute_raw(
                "INSERT INTO trigger (run_pk, task_no, map_index, defer_seq, dag_pk, classpath, kwargs, held_slots, triggerer, "
                "priority, created_at) SELECT n / 100, n % 100, -1, 1, 1 + (n % 3) / 2, 'c', 'k', 0, "
                "CASE WHEN n % 2 = 0 THEN CASE WHEN n % 100 = 0 THEN 'two' ELSE 'one' END END, n % 7, n "
                "FROM generate_series(1, 50000) AS n"
            )
        with database.write() as tx:
            tx._connection.execute_raw("ANALYZE trigger")
        yield made
        database.close()
