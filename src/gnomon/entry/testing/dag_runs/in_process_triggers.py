"""Runs the triggers of deferred tasks in an event loop of this process, between two rounds of the scheduler."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from gnomon.author_code.loading.class_loader import load_class
from gnomon.author_code.processes import author_forks
from gnomon.author_code.processes.task_api_messages import TaskApiRequestMessage, answer_request
from gnomon.authoring.sdk.connections.channel import install_channel
from gnomon.authoring.sdk.serialization import value_codec
from gnomon.ground import log
from gnomon.model.deferral import DeferralResult
from gnomon.model.errors.authoring import AirflowRuntimeError
from gnomon.model.task_api_requests import TaskApiRequest
from gnomon.queries.taskapi import TaskApiRefused, answer_trigger
from gnomon.services.triggerer.deferral_results import sanitize_result
from gnomon.services.triggerer.host_protocol import TriggerTaskInstance
from gnomon.services.triggerer.trigger_runner import RunningTrigger, author_log, error_to_result, run_trigger
from gnomon.storage.store import Database
from gnomon.storage.store.trigger_queue import trigger_claims, triggerer_leases

CAPACITY = 10_000
"""Maximum number of triggers that wait at a time."""
_log = log.get_logger("testing.triggers")


class TriggerChannel:
    """Answers the requests of triggers from the store."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def ask(self, question: TaskApiRequest) -> object:
        """The answer. Raises AirflowRuntimeError when the request is refused."""
        message = TaskApiRequestMessage(number=1, request=question)  # type: ignore[arg-type]
        response = answer_request(
            lambda request: answer_trigger(self._db, request), message, log=_log, refusals=(TaskApiRefused,)
        )
        return response.unwrap(AirflowRuntimeError)


class InProcessTriggerer:
    """The triggerer of one test run. Implements `TriggerListener`: the runner of triggers reports to it."""

    on_kill_s = 30.0

    def __init__(self, db: Database, triggerer_id: str) -> None:
        self._db = db
        self._id = triggerer_id
        self._loop = asyncio.new_event_loop()
        self._channel = TriggerChannel(db)
        self._running: dict[int, tuple[RunningTrigger, trigger_claims.ClaimedTrigger]] = {}
        self._unstored: list[trigger_claims.OutgoingTriggerEvent] = []
        self._fired = asyncio.Event()
        with db.write() as tx:
            triggerer_leases.register_triggerer(tx, triggerer_id, "in-process", CAPACITY)

    def step(self, wait_s: float) -> bool:
        """Start and end what the store says, let the triggers run for up to `wait_s` seconds, and store their events.

        Returns whether an event was stored. Returns at once without a trigger, and after the first event.
        """
        self._claim_and_cancel()
        if not self._running:
            return self._store_events()
        previous = install_channel(self._channel)
        try:
            self._run(self._wait(wait_s))
        finally:
            install_channel(previous)
        return self._store_events()

    @property
    def is_busy(self) -> bool:
        """Whether a trigger runs."""
        return bool(self._running)

    def close(self) -> None:
        """Cancel all triggers and close the loop."""
        try:
            for running, _ in list(self._running.values()):
                self._cancel(running, on_kill=False)
            self._run(self._wait_for_all())
            self._run(self._loop.shutdown_asyncgens())
            self._run(self._loop.shutdown_default_executor())
        finally:
            self._loop.close()

    def _run(self, coroutine: Coroutine[Any, Any, None]) -> None:
        """Run the loop until the coroutine returns. In a notebook this thread has a running loop, so that another thread runs this one."""
        former = author_forks.claim_process()
        try:
            if asyncio._get_running_loop() is None:
                self._loop.run_until_complete(coroutine)
                author_forks.end_fork()
                return
            with ThreadPoolExecutor(1) as pool:
                pool.submit(self._loop.run_until_complete, coroutine).result()
        finally:
            author_forks.give_back_process(former)

    async def _wait(self, wait_s: float) -> None:
        if self._unstored:
            return
        self._fired.clear()
        tasks = [running.task for running, _ in self._running.values() if running.task is not None]
        waiter = asyncio.ensure_future(self._fired.wait())
        await asyncio.wait([waiter, *tasks], timeout=wait_s, return_when=asyncio.FIRST_COMPLETED)
        waiter.cancel()

    async def _wait_for_all(self) -> None:
        tasks = [running.task for running, _ in self._running.values() if running.task is not None]
        if tasks:
            await asyncio.wait(tasks, timeout=self.on_kill_s)

    def _claim_and_cancel(self) -> None:
        with self._db.triggerer_write(self._id) as tx:
            ended = trigger_claims.list_ended_triggers(tx, self._id)
            claimed = trigger_claims.claim_triggers(tx, self._id, CAPACITY - len(self._running))
            trigger_claims.delete_finished_on_kills(tx, self._id, ended.to_kill)
        for trigger_pk in (*ended.cancelled, *ended.to_kill):
            if trigger_pk in self._running:
                self._cancel(self._running[trigger_pk][0], on_kill=trigger_pk in ended.to_kill)
        for trigger in claimed:
            self._start(trigger)

    def _start(self, claimed: trigger_claims.ClaimedTrigger) -> None:
        task_instance = TriggerTaskInstance(
            dag_id=claimed.dag_id,
            run_id=claimed.run_id,
            task_id=claimed.task_id,
            map_index=claimed.key.map_index,
            try_number=claimed.try_number,
            log="in-process",
        )
        running = RunningTrigger(claimed.trigger_pk, claimed.classpath, task_instance)
        self._running[claimed.trigger_pk] = running, claimed
        previous = install_channel(self._channel)
        try:
            arguments: Any = value_codec.loads(claimed.kwargs)
            running.trigger = load_class(claimed.classpath)(**arguments)
            running.trigger.trigger_id = claimed.trigger_pk
            running.trigger.task_instance = task_instance
            running.task = self._loop.create_task(run_trigger(running, self))
        except Exception as error:  # author code: the class, its import and its constructor
            self.on_result(running, error_to_result(error))
            self.on_finished(running)
        finally:
            install_channel(previous)

    def _cancel(self, running: RunningTrigger, on_kill: bool) -> None:
        if not running.is_stopped:
            running.is_stopped, running.is_killed = True, on_kill
            if running.is_entered and running.task is not None:
                running.task.cancel()

    def _store_events(self) -> bool:
        events, self._unstored = self._unstored, []
        if not events:
            return False
        with self._db.triggerer_write(self._id) as tx:
            trigger_claims.send_events(tx, self._id, events)
        return True

    # ---- what the runner of triggers reports -----------------------------------------------------------------------------
    def on_result(self, running: RunningTrigger, result: DeferralResult) -> None:
        """The first event of the trigger, or the reason why there is none."""
        running.is_stopped = True
        claimed = self._running[running.number][1]
        if result.traceback is not None:
            author_log.error("the trigger failed\n%s", result.traceback.rstrip())
        event = trigger_claims.OutgoingTriggerEvent(
            claimed.trigger_pk, claimed.key, claimed.defer_seq, claimed.group_no, sanitize_result(result)
        )
        self._unstored.append(event)
        self._fired.set()

    def on_finished(self, running: RunningTrigger) -> None:
        """The start is over, cleanup included."""
        del self._running[running.number]

    async def publish_event(self, running: RunningTrigger, event: Any) -> None:
        """Not called: watchers of assets do not run in a test run."""
        raise NotImplementedError("watchers of assets do not run in dag.test()")

    def open_events(self, running: RunningTrigger) -> Any:
        """Not called: watchers of assets do not run in a test run."""
        raise NotImplementedError("watchers of assets do not run in dag.test()")
