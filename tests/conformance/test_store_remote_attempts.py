"""Attempts of executors with a message broker in the store: offered, claimed by one worker, ended."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest
from tests.conformance.storeworld import AT, World, raw, task
from tests.databases import new_database
from tests.keys import CIPHER

from gnomon.model.attempts import Attempt, RunFacts
from gnomon.model.ids import TaskKey
from gnomon.model.instants import SECOND
from gnomon.model.records import REMOTE_ADDRESS, Changes, RunRecord, WorkerRecord
from gnomon.model.run_callbacks import CallbackKind, CallbackRecord, CallbackRequest, CallbackState
from gnomon.model.sentences import render
from gnomon.queries.report.explanations.attempt_wait import describe_message_waits
from gnomon.storage.store import open_database
from gnomon.storage.store.coordination import leases, remote_attempts
from gnomon.storage.store.coordination.remote_attempts import GivenUpAttempt
from gnomon.storage.store.ownership import commit

EXECUTOR = "CeleryExecutor"


def make_attempt(run: RunRecord, number: int = 0, **fields: Any) -> Attempt:
    """The attempt of a task instance of the run."""
    facts = RunFacts(
        run_pk=run.run_pk, dag_id="d", run_id="m", run_type="manual", run_after=AT, conf={"password": "hunter2"}
    )
    return Attempt(
        **{
            "attempt_id": f"a{number}",
            "group_no": 3,
            "epoch": 1,
            "run": facts,
            "task_id": "ab"[number],
            "task_no": number,
            "file": "/dags/d.py",
            "queue": "q",
            **fields,
        }
    )


@pytest.fixture
def run(world: World) -> RunRecord:
    """A run whose two task instances wait for the attempts a0 and a1."""
    world.dag()
    made = world.run()
    world.apply(Changes(tasks=[task(made, number, attempt=f"a{number}", worker=EXECUTOR) for number in (0, 1)]))
    return made


def offer(world: World, *attempts: Attempt, executor: str = EXECUTOR, at: int = AT) -> None:
    with world.db.write() as tx:
        remote_attempts.offer_attempts(tx, executor, attempts, at)


def claim(world: World, attempt_id: str = "a0", worker: str = "w1") -> Attempt | None:
    with world.db.write() as tx:
        return remote_attempts.claim_attempt(tx, attempt_id, worker, AT)


def register(world: World, worker: str = "w1") -> None:
    with world.db.write() as tx:
        leases.register_worker(tx, WorkerRecord(worker, "host-1", "execution-api", 4, 0, False))


def list_given_up(world: World) -> list[GivenUpAttempt]:
    with world.db.read() as tx:
        return remote_attempts.list_given_up(tx, EXECUTOR)


def count(world: World) -> int:
    return world.count("SELECT COUNT(*) FROM remote_attempt")


def test_an_offer_that_comes_twice_changes_nothing(world: World, run: RunRecord) -> None:
    offer(world, make_attempt(run), at=AT)
    assert claim(world) == make_attempt(run)
    offer(world, make_attempt(run, file="/dags/other.py"), make_attempt(run, 1), at=AT + 1)
    assert count(world) == 2
    assert claim(world, worker="w2") is None
    assert claim(world) == make_attempt(run)


def test_the_bodies_are_encrypted(world: World, run: RunRecord) -> None:
    offer(world, make_attempt(run))
    with world.db.read() as tx:
        [(body,)] = raw(tx, "SELECT body FROM remote_attempt")
    assert "hunter2" not in str(body)
    assert "/dags" not in str(body)


def test_one_worker_claims_and_may_repeat_it(world: World, run: RunRecord) -> None:
    offer(world, make_attempt(run))
    assert claim(world, worker="w1") == make_attempt(run)
    assert claim(world, worker="w2") is None
    assert claim(world, worker="w1") == make_attempt(run)
    assert claim(world, "unknown") is None


@pytest.mark.postgres
def test_of_workers_that_claim_at_the_same_time_one_gets_the_attempt() -> None:
    with new_database("postgresql") as url:
        db = open_database(url, cipher=CIPHER)
        world = World(db)
        world.dag()
        run = world.run()
        world.apply(Changes(tasks=[task(run, attempt="a0")]))
        offer(world, make_attempt(run))
        ready = threading.Barrier(4)
        winners: list[str] = []

        def try_to_claim(worker: str) -> None:
            ready.wait()
            if claim(world, worker=worker) is not None:
                winners.append(worker)

        threads = [threading.Thread(target=try_to_claim, args=(f"w{number}",)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(winners) == 1
        with db.read() as tx:
            assert raw(tx, "SELECT worker FROM remote_attempt") == [(winners[0],)]
        db.close()


@pytest.mark.postgres
def test_schedulers_that_record_messages_about_the_same_attempts_do_not_deadlock() -> None:
    with new_database("postgresql") as url:
        db = open_database(url, cipher=CIPHER)
        world = World(db)
        world.dag()
        run = world.run()
        names = [f"a{number:03}" for number in range(400)]
        offer(world, *(make_attempt(run, 0, attempt_id=name) for name in names))
        failures: list[Exception] = []

        def record(order: list[str]) -> None:
            try:
                for turn in range(20):
                    with db.write() as tx:
                        remote_attempts.mark_published(tx, order, AT + turn)
            except Exception as error:
                failures.append(error)

        threads = [threading.Thread(target=record, args=(order,)) for order in (names, names[::-1])]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        db.close()
        assert failures == []


def test_a_cancelled_attempt_cannot_be_claimed(world: World, run: RunRecord) -> None:
    offer(world, make_attempt(run))
    with world.db.write() as tx:
        remote_attempts.cancel_attempt(tx, "a0", "marked failed by ann", 5.0)
        remote_attempts.cancel_attempt(tx, "unknown", "x", 5.0)
    assert claim(world) is None
    with world.db.read() as tx:
        assert remote_attempts.list_unclaimed(tx, EXECUTOR, AT + 100, AT + 100, 20.0) == []


def test_an_attempt_that_its_owner_no_longer_waits_for_is_refused_and_deleted(world: World, run: RunRecord) -> None:
    offer(world, make_attempt(run), make_attempt(run, 1))
    world.apply(Changes(tasks=[task(run, 0, attempt="a0-again")]))
    assert claim(world) is None
    assert count(world) == 1
    world.apply(Changes(tasks=[task(run, 1, attempt=None)]))
    assert claim(world, "a1") is None
    assert count(world) == 0


def test_an_attempt_of_another_map_index_is_not_live(world: World, run: RunRecord) -> None:
    offer(world, make_attempt(run, map_index=3))
    assert claim(world) is None
    assert count(world) == 0


def test_the_attempt_of_a_callback_is_live_while_the_callback_names_it(world: World, run: RunRecord) -> None:
    request = CallbackRequest(
        kind=CallbackKind.RUN_FAILED,
        reason="task_failure",
        calls_dag=True,
        task_id="a",
        run_state="failed",
        run_ended_at=AT,
    )
    callback = CallbackRecord(
        "c1",
        run.run_pk,
        run.dag_pk,
        request,
        AT,
        log="x.log",
        state=CallbackState.RUNNING,
        tries=1,
        attempt="call",
        worker="w",
    )
    world.apply(Changes(callbacks={"c1": callback}))
    called = make_attempt(run, attempt_id="call", kind="callback", callback=request)
    offer(world, called)
    assert claim(world, "call") == called
    world.apply(Changes(callbacks={"c1": replace(callback, attempt="call-2")}))
    assert claim(world, "call") is None


def test_only_the_worker_that_claimed_enters_and_finishes(world: World, run: RunRecord) -> None:
    offer(world, make_attempt(run))
    with world.db.write() as tx:
        assert remote_attempts.enter_attempt(tx, "a0", "w1", AT) is None
        assert remote_attempts.finish_attempt(tx, "a0", "w1") is None
        assert remote_attempts.find_claimed_attempt(tx, "a0", "w1") is None
    claim(world)
    with world.db.write() as tx:
        assert remote_attempts.enter_attempt(tx, "a0", "w2", AT) is None
        assert remote_attempts.finish_attempt(tx, "a0", "w2") is None
        assert remote_attempts.find_claimed_attempt(tx, "a0", "w2") is None
        assert remote_attempts.find_claimed_attempt(tx, "a0", "w1") == make_attempt(run)
        assert remote_attempts.list_held(tx, EXECUTOR, [3]) == [("a0", False)]
        assert remote_attempts.enter_attempt(tx, "a0", "w1", AT) == 3
        assert remote_attempts.enter_attempt(tx, "a0", "w1", AT + 1) is None
        assert remote_attempts.list_held(tx, EXECUTOR, [3]) == [("a0", True)]
        assert remote_attempts.finish_attempt(tx, "a0", "w1") == (3, run.run_pk, 0, -1)
        assert remote_attempts.finish_attempt(tx, "a0", "w1") is None
    assert count(world) == 0


def test_the_claims_of_a_worker_and_those_that_are_to_end(world: World, run: RunRecord) -> None:
    offer(world, make_attempt(run), make_attempt(run, 1))
    claim(world, "a0")
    claim(world, "a1")
    with world.db.write() as tx:
        remote_attempts.cancel_attempt(tx, "a1", "cleared", 2.5)
        claims = remote_attempts.list_claims(tx, "w1")
        assert [(one.attempt_id, one.cancel_reason, one.cancel_grace_s) for one in claims] == [
            ("a0", None, None),
            ("a1", "cleared", 2.5),
        ]
        assert remote_attempts.list_claims(tx, "w2") == []


def test_attempts_of_lost_workers_and_those_cancelled_before_their_claim_are_given_up(
    world: World, run: RunRecord
) -> None:
    offer(world, make_attempt(run), make_attempt(run, 1))
    register(world)
    claim(world, "a0")
    with world.db.write() as tx:
        remote_attempts.enter_attempt(tx, "a0", "w1", AT + 5)
        remote_attempts.cancel_attempt(tx, "a0", "cleared", 1.0)
    assert list_given_up(world) == []  # the worker is live, and one waits for a claim
    with world.db.write() as tx:
        remote_attempts.cancel_attempt(tx, "a1", "marked failed", 1.0)
    unclaimed = GivenUpAttempt("a1", 3, run.run_pk, 1, -1, None, None, None, "marked failed")
    assert list_given_up(world) == [unclaimed]
    with world.db.write() as tx:
        leases.retire_worker(tx, "w1")
    assert list_given_up(world) == [
        GivenUpAttempt("a0", 3, run.run_pk, 0, -1, "w1", "host-1", AT + 5, "cleared"),
        unclaimed,
    ]
    with world.db.write() as tx:
        remote_attempts.remove_attempts(tx, ["a0", "a1", "unknown"])
    assert list_given_up(world) == []


def test_an_attempt_of_a_worker_that_is_no_longer_stored_is_given_up(world: World, run: RunRecord) -> None:
    offer(world, make_attempt(run))
    claim(world, worker="forgotten")
    assert list_given_up(world) == [GivenUpAttempt("a0", 3, run.run_pk, 0, -1, "forgotten", None, None, None)]


def test_unclaimed_attempts_without_a_message_or_with_an_old_one(world: World, run: RunRecord) -> None:
    offer(world, make_attempt(run, 1), at=AT + 1)
    offer(world, make_attempt(run), at=AT)

    def list_unclaimed(before: int, executor: str = EXECUTOR, unsent_s: float = 0.0) -> list[str]:
        with world.db.read() as tx:
            rows = remote_attempts.list_unclaimed(tx, executor, before, before, 20.0, unsent_s)
            return [attempt_id for attempt_id, queue, group in rows if (queue, group) == ("q", 3)]

    assert list_unclaimed(AT) == ["a0"]
    assert list_unclaimed(AT + 1) == ["a0", "a1"]
    assert list_unclaimed(AT + 1, "another") == []
    assert [list_unclaimed(AT + after, unsent_s=3.0) for after in (2_999_999, 3_000_000, 3_000_001)] == [
        [],
        ["a0"],
        ["a0", "a1"],
    ]
    with world.db.write() as tx:
        remote_attempts.mark_published(tx, ["a0", "unknown"], AT + 10)
    assert list_unclaimed(AT + 10) == ["a1"]
    assert list_unclaimed(AT + 11) == ["a0", "a1"]
    claim(world, "a0")
    assert list_unclaimed(AT + 11) == ["a1"]


def test_the_held_attempts_are_those_of_the_executor_and_of_the_groups(world: World, run: RunRecord) -> None:
    offer(world, make_attempt(run), make_attempt(run, 1, group_no=4))
    with world.db.read() as tx:
        assert remote_attempts.list_held(tx, EXECUTOR, [3]) == [("a0", False)]
        assert remote_attempts.list_held(tx, EXECUTOR, [3, 4, 5]) == [("a0", False), ("a1", False)]
        assert remote_attempts.list_held(tx, EXECUTOR, []) == []
        assert remote_attempts.list_held(tx, "another", [3, 4]) == []


def test_attempts_are_deleted_with_their_run(world: World, run: RunRecord) -> None:
    offer(world, make_attempt(run), make_attempt(run, 1))
    claim(world)
    with world.db.write() as tx:
        commit.delete_runs(tx, [run.run_pk])
    assert count(world) == 0


def test_a_stored_worker_is_found_lost_or_not(world: World) -> None:
    register(world)
    with world.db.write() as tx:
        assert leases.find_worker(tx, "w2") is None
        found = leases.find_worker(tx, "w1")
        assert found is not None
        assert (found.host, found.slots, found.lost) == ("host-1", 4, False)
        leases.retire_worker(tx, "w1")
        found = leases.find_worker(tx, "w1")
        assert found is not None
        assert found.lost


def lose(world: World, attempt_id: str = "a0", *, costs_try: bool = False) -> bool:
    with world.db.write() as tx:
        return remote_attempts.lose_attempt(tx, attempt_id, "pod p was evicted", costs_try=costs_try)


def test_a_lost_pod_ends_the_claim_of_its_worker(world: World, run: RunRecord) -> None:
    offer(world, make_attempt(run))
    register(world)
    claim(world)
    assert lose(world)
    assert not lose(world)
    with world.db.write() as tx:
        assert not leases.beat_worker(tx, "w1")
    assert list_given_up(world) == [
        GivenUpAttempt("a0", 3, run.run_pk, 0, -1, "w1", "host-1", None, None, "pod p was evicted", False)
    ]
    with world.db.write() as tx:
        assert (
            remote_attempts.finish_attempt(tx, "a0", "w1") is not None
        )  # a result that came before the end is read keeps its right
    assert not lose(world)


@pytest.mark.parametrize("costs_try", [False, True])
def test_a_pod_that_is_lost_before_the_claim_cannot_be_claimed(world: World, run: RunRecord, costs_try: bool) -> None:
    offer(world, make_attempt(run))
    assert lose(world, costs_try=costs_try)
    assert claim(world) is None
    with world.db.read() as tx:
        assert remote_attempts.list_unclaimed(tx, EXECUTOR, AT + 100, AT + 100, 20.0) == []
        assert remote_attempts.list_attempt_ids(tx, EXECUTOR) == ["a0"]
    assert list_given_up(world) == [
        GivenUpAttempt("a0", 3, run.run_pk, 0, -1, None, None, None, None, "pod p was evicted", costs_try)
    ]


def test_the_reason_of_a_wait_is_that_of_an_unclaimed_attempt(world: World, run: RunRecord) -> None:
    key = TaskKey(run.run_pk, 0, -1)
    offer(world, make_attempt(run))

    def find() -> str | None:
        with world.db.read() as tx:
            return remote_attempts.find_wait_reason(tx, key)

    def note(reason: str | None) -> None:
        with world.db.write() as tx:
            remote_attempts.note_wait(tx, "a0", reason)

    assert find() is None
    note("no node takes its pod")
    assert find() == "no node takes its pod"
    note(None)
    assert find() is None
    note("no node takes its pod")
    claim(world)
    assert find() is None
    with world.db.read() as tx:
        assert remote_attempts.find_attempt(tx, "a0") == make_attempt(run)
        assert remote_attempts.find_attempt(tx, "a1") is None


# ---- messages --------------------------------------------------------------------------------------------------------
TTL_S = 20.0
TTL = int(TTL_S * SECOND)


def register_celery(world: World, worker: str, queues: tuple[str, ...] | None = ("q",), slots: int = 4) -> int:
    """Returns the instant of its heartbeat."""
    with world.db.write() as tx:
        leases.register_worker(
            tx, WorkerRecord(worker, f"host of {worker}", f"{REMOTE_ADDRESS}:{worker}", slots, 0, False, queues)
        )
        found = leases.find_worker(tx, worker)
    assert found is not None and found.queues == queues
    return found.beat_at


def retire(world: World, worker: str) -> None:
    with world.db.write() as tx:
        leases.retire_worker(tx, worker)


def publish(world: World, attempt_id: str, at: int) -> None:
    with world.db.write() as tx:
        remote_attempts.mark_published(tx, [attempt_id], at)


def unclaimed(world: World, now: int) -> list[str]:
    with world.db.read() as tx:
        return [row[0] for row in remote_attempts.list_unclaimed(tx, EXECUTOR, 0, now, TTL_S)]


def test_a_message_that_a_lost_worker_may_have_fetched_is_sent_again_once(world: World, run: RunRecord) -> None:
    offer(world, make_attempt(run), make_attempt(run, 1))
    beat_at = register_celery(world, "w1")
    publish(world, "a0", beat_at - SECOND)
    publish(world, "a1", beat_at + TTL)
    assert unclaimed(world, beat_at + 10 * TTL) == [], "the worker is alive"
    retire(world, "w1")
    assert unclaimed(world, beat_at + TTL - 1) == [], "it may have ended in order, and given its messages back"
    assert unclaimed(world, beat_at + TTL) == ["a0"]
    publish(world, "a0", beat_at + TTL)
    assert unclaimed(world, beat_at + 10 * TTL) == [], "the new message was sent after the loss"


def test_the_loss_of_a_worker_that_takes_no_messages_sends_none_again(world: World, run: RunRecord) -> None:
    offer(world, make_attempt(run))
    beat_at = register_celery(world, "pod", None)
    publish(world, "a0", beat_at - SECOND)
    retire(world, "pod")
    assert unclaimed(world, beat_at + 2 * TTL) == []


def test_a_claimed_attempt_gets_no_other_message_when_another_worker_is_lost(world: World, run: RunRecord) -> None:
    offer(world, make_attempt(run))
    beat_at = register_celery(world, "w1")
    publish(world, "a0", beat_at - SECOND)
    claim(world, worker="w2")
    retire(world, "w1")
    assert unclaimed(world, beat_at + 2 * TTL) == []


def describe(world: World) -> dict[str, str]:
    with world.db.read() as tx:
        found = describe_message_waits(tx, dict(remote_attempts.list_claiming_workers(tx)), 600.0)
    return {attempt_id: render(sentence) for attempt_id, sentence in found.items()}


def test_the_wait_for_a_worker_names_those_that_live_their_free_slots_and_the_message(
    world: World, run: RunRecord
) -> None:
    assert describe(world) == {}
    offer(world, make_attempt(run), make_attempt(run, 1, queue="other q"))
    assert describe(world)["a0"] == (
        "no live worker is known to take it; a worker is known from the first task that it claims on. If none runs, start one with: gnomon celery worker -q q; "
        "the broker has not accepted its message yet; the log of the scheduler says why (broker_away, queue_refused)"
    )
    assert "gnomon celery worker -q 'other q'" in describe(world)["a1"]
    beat_at = register_celery(world, "w1", ("q", "other q"), 1)
    register_celery(world, "w2", ("else",))
    register_celery(world, "w3", None)
    publish(world, "a0", beat_at)
    said = describe(world)["a0"]
    assert said.startswith(
        "1 live worker takes this queue, with 1 free slot: w1 on host of w1 (1 of 1 slots free); its message was sent at "
    )
    assert "; if no worker claims it, another one is sent at " in said and "start one" not in said
    claim(world, "a1", "w1")
    for number in range(4, 8):
        register_celery(world, f"w{number}")
    said = describe(world)["a0"]
    assert said.startswith(
        "5 live workers take this queue, with 16 free slots: w1 on host of w1 (0 of 1 slots free), w4 on host of w4 (4 of 4 slots free), w5"
    )
    assert " and 2 more; its message" in said and "a1" not in describe(world)
    retire(world, "w1")
    assert "w1" not in describe(world)["a0"]
