"""The worker: one loop over the sockets of schedulers, zygotes and children. No threads, no event loop of a library.

A turn of the loop takes in what happened, starts what may start, and writes everything once: forks are ordered together,
entries and ends leave in one message each.
"""

from __future__ import annotations

import os
import selectors
import signal
from collections.abc import Iterable

from gnomon import log
from gnomon.clock import Clock
from gnomon.model.facts import Attempt
from gnomon.model.questions import AnyQuestion
from gnomon.processes.ending import reap
from gnomon.processes.kernel import become_subreaper
from gnomon.wire.messages import Acknowledge, AskInventory, Cancel, Hello, Inventory, Refused, Submit, ToWorker
from gnomon.worker.children import Child
from gnomon.worker.conductor import Conductor
from gnomon.worker.incarnation import Incarnation
from gnomon.worker.ledger import Held, Ledger, Stop
from gnomon.worker.nursery import Nursery
from gnomon.worker.orphans import kill_orphans
from gnomon.worker.presence import Presence
from gnomon.worker.schedulers import Connection, Schedulers
from gnomon.worker.settings import Settings
from gnomon.worker.zygotes import Zygote

events = log.get("worker")

TICK_S = 0.25
"""How often deadlines are looked at; nothing that is fast waits for it."""
IDLE_TICK_S = 0.5
"""The same while no attempt has one."""
STOPPED = "the worker was stopped (SIGTERM)"
"""The reason of attempts that are handed back or ended without a grace."""


class Worker:
    """One machine's share of the work. It survives its schedulers and keeps what they have not acknowledged."""

    def __init__(self, settings: Settings, presence: Presence, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._selector = selectors.DefaultSelector()
        self._watched: dict[int, int] = {}
        """File descriptor of a child's socket to the events it is watched for."""
        self._incarnation = Incarnation(settings, presence, clock)
        self._nursery = Nursery(self, settings.environ, settings.import_limit_s)
        self._ticked_at = clock.monotonic()
        self._ends = False
        """It was told to end and takes no new attempts."""
        self._wake_read, self._wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._selector.register(self._wake_read, selectors.EVENT_READ, self._on_signal)
        self._begin_incarnation()

    @property
    def worker_id(self) -> str:
        return self._incarnation.worker_id

    @property
    def address(self) -> str:
        """The path of the socket that schedulers connect to."""
        return self._incarnation.address

    # ---- life --------------------------------------------------------------------------------------------------------
    def start(self) -> None:
        """The base zygote exists, orphans come here, and the store knows this incarnation (or will, once it answers)."""
        become_subreaper()
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wake_write, warn_on_full_buffer=False)
        self._nursery.start(self._clock.monotonic())
        self._incarnation.keep(connected=False)

    @property
    def running(self) -> int:
        """How many attempts have a slot."""
        return self._ledger.running

    def wake_on(self, descriptor: int) -> None:
        """A turn ends its waiting when this descriptor becomes readable. That happens once: it stays readable, and is not read."""
        self._selector.register(descriptor, selectors.EVENT_READ, lambda _mask: self._selector.unregister(descriptor))

    def turn(self, timeout_s: float | None = None) -> None:
        """One turn of the loop: waits at most so long, or for the next tick, then does all that there is to do."""
        for key, mask in self._selector.select(self._tick_s() if timeout_s is None else timeout_s):
            key.data(mask)
        self._conductor.start_waiting()
        self._nursery.flush(self._clock.monotonic())
        self._schedulers.flush()
        if self._clock.monotonic() - self._ticked_at >= self._tick_s():
            self._tick()

    def refuse_attempts(self) -> None:
        """No attempt begins any more: those in the queue are handed back, those that run go on."""
        self._ends = True
        self._schedulers.tell_slots(self.worker_id, 0)
        self._send_away(held.attempt for held in list(self._ledger.held))

    def stop(self, reason: str) -> None:
        """Nothing new begins, attempts are ended within the grace for this reason, results are handed on, the store is told."""
        self.refuse_attempts()
        deadline = self._clock.monotonic() + self._settings.stop_grace_s
        stop = Stop(reason, self._settings.stop_grace_s, outcome="lost")
        for held in list(self._ledger.held):
            self._conductor.stop(held, stop)
        while self._ledger.running and self._clock.monotonic() < deadline:
            self.turn(_STOP_STEP_S)
        for child in self._nursery.children.values():
            child.kill("the worker was stopped")
        last = self._clock.monotonic() + _LAST_WORDS_S
        while self._clock.monotonic() < last and (self._ledger.running or self._unsaid()):
            self.turn(_STOP_STEP_S)
        self._schedulers.close()
        self._nursery.close()
        self._incarnation.leave(self._ledger)
        self._reap()
        kill_orphans(set())

    def close(self) -> None:
        """Descriptors and signal handlers of this worker are given back."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for child in list(self._nursery.children.values()):
            self.forget_child(child)
            child.link.close()
        self._selector.close()
        os.close(self._wake_read)
        os.close(self._wake_write)

    def _unsaid(self) -> bool:
        """A connected scheduler may still acknowledge something."""
        return bool(self._ledger.results) and self._schedulers.connected

    def _begin_incarnation(self) -> None:
        self._ledger = Ledger()
        self._schedulers = Schedulers(self._incarnation.address, self._selector, self._on_message)
        self._conductor = Conductor(
            self._ledger, self._schedulers, self._clock, str(self._settings.logs_folder), self._settings.slots,
            self._settings.silence_s, self._answer, self._update_child, self.forget_child,
        )
        self._conductor.nursery = self._nursery

    def _forget_all(self) -> None:
        """OWNERSHIP.md line 18: the children end, everything is forgotten, another incarnation begins."""
        events.error("incarnation_given_up", worker=self.worker_id, attempts=self._ledger.running)
        for held in self._ledger.held:
            held.ended = True
        for child in list(self._nursery.children.values()):
            child.kill("the worker lost store and scheduler")
        self._schedulers.close()
        self._nursery.close()  # zygotes hold the lifeline of the incarnation that ends
        self._incarnation.renew()
        self._begin_incarnation()
        self._nursery.start(self._clock.monotonic())
        self._incarnation.keep(connected=False)

    def _tick_s(self) -> float:
        return TICK_S if self._ledger.running else IDLE_TICK_S

    def _tick(self) -> None:
        self._ticked_at = self._clock.monotonic()
        self._conductor.tick()
        self._schedulers.accept_again()
        self._nursery.tick(self._ticked_at)
        self._reap()
        if kill_orphans(self._nursery.known_pids()):
            events.warning("orphans_killed")
        if not self._incarnation.keep(connected=self._schedulers.connected):
            self._forget_all()
        elif not self._schedulers.connected:
            self._incarnation.mail_results(self._ledger)

    # ---- schedulers --------------------------------------------------------------------------------------------------
    def _on_message(self, connection: Connection, message: ToWorker) -> None:
        match message:
            case Hello():
                slots = 0 if self._ends else self._settings.slots
                self._schedulers.welcome(connection, message, self.worker_id, slots, tuple(self._ledger.results.values()))
            case Submit(attempts=attempts):
                known, refused = self._ledger.submit(attempts)
                for result in known:
                    self._schedulers.ended(result)
                if self._ends:  # sent before the scheduler knew
                    self._send_away(attempts)
                if refused:
                    reason = f"worker {self.worker_id} knows a newer owner of the group"
                    events.warning("submission_refused", scheduler=connection.scheduler_id, attempts=len(refused))
                    connection.link.put(Refused(attempt_ids=tuple(refused), reason=reason))
            case Cancel(attempt_id=attempt_id, reason=reason, grace_s=grace_s):
                held = self._ledger.find(attempt_id)
                if held is not None:
                    self._conductor.stop(held, Stop(reason, grace_s))
            case Acknowledge(attempt_ids=attempt_ids):
                self._ledger.acknowledge(attempt_ids)
            case AskInventory(groups=groups):
                self._tell_inventory(connection, groups)

    def _send_away(self, attempts: Iterable[Attempt]) -> None:
        """They have not entered author code, cost no try, and go elsewhere."""
        for held in [self._ledger.find(attempt.attempt_id) for attempt in attempts]:
            if held is not None and not held.started and held.stop is None:
                self._conductor.stop(held, Stop(STOPPED, 0.0, outcome="lost"))

    def _tell_inventory(self, connection: Connection, groups: tuple[tuple[int, int], ...]) -> None:
        mine = tuple(group for group, epoch in groups if self._ledger.raise_epoch(group, epoch))
        running, results = self._ledger.inventory(mine)
        connection.link.put(Inventory(worker_id=self.worker_id, groups=mine, running=running, results=results))

    # ---- zygotes and children (nursery.Host) -------------------------------------------------------------------------
    def watch_zygote(self, zygote: Zygote) -> None:
        def obey(_mask: int) -> None:
            if zygote.sock is not None:
                self._nursery.obey(zygote, self._clock.monotonic())

        assert zygote.sock is not None
        self._selector.register(zygote.sock, selectors.EVENT_READ, obey)

    def forget_zygote(self, zygote: Zygote) -> None:
        assert zygote.sock is not None
        self._selector.unregister(zygote.sock)

    def watch_child(self, child: Child) -> None:
        def hear(mask: int) -> None:
            if mask & selectors.EVENT_READ:
                self._conductor.hear(child)
            else:
                self._update_child(child)

        self._selector.register(child.link.sock, selectors.EVENT_READ, hear)
        self._watched[child.link.sock.fileno()] = selectors.EVENT_READ

    def answer_import(self, question: AnyQuestion) -> object:
        return self._incarnation.presence.answer(None, question)

    def begin(self, child: Child, held: Held) -> None:
        self._conductor.begin(child, held)

    def child_gone(self, child: Child, code: int | None) -> None:
        self._conductor.child_gone(child, code)

    def child_refused(self, child: Child) -> None:
        self._conductor.child_refused(child)

    def give_back(self, held: Held, reason: str) -> None:
        self._conductor.give_back(held, reason)

    def forget_child(self, child: Child) -> None:
        """The child's socket is not watched any more."""
        if self._watched.pop(child.link.sock.fileno(), None) is not None:
            self._selector.unregister(child.link.sock)

    def _update_child(self, child: Child) -> None:
        """What waits for the child is written as far as it takes it; its socket is watched for what is left to do."""
        empty = child.link.flush()
        if child.link.ended:
            self.forget_child(child)
            return
        wanted = selectors.EVENT_READ if empty else selectors.EVENT_READ | selectors.EVENT_WRITE
        descriptor = child.link.sock.fileno()
        if self._watched.get(descriptor, wanted) != wanted:
            key = self._selector.get_key(child.link.sock)
            self._selector.modify(child.link.sock, wanted, key.data)
            self._watched[descriptor] = wanted

    def _answer(self, held: Held, question: AnyQuestion) -> object:
        return self._incarnation.presence.answer(held.attempt, question)

    # ---- processes ---------------------------------------------------------------------------------------------------
    def _on_signal(self, _mask: int) -> None:
        os.read(self._wake_read, _WAKE_BYTES)
        self._reap()

    def _reap(self) -> None:
        children = {child.pid: child.number for child in self._nursery.children.values() if child.pid is not None}
        for pid, code in reap(set(children)):
            if pid in children:
                self._nursery.forget_child(children[pid], code)
            elif pid == self._nursery.base.pid:
                events.warning("base_zygote_died", code=code)
                self._nursery.base.forget()
        if self._conductor.abnormal:
            self._conductor.abnormal = False
            kill_orphans(self._nursery.known_pids())


_STOP_STEP_S = 0.05
_LAST_WORDS_S = 1.5
"""So long a worker that ends waits for killed children to be gone and results to be acknowledged."""
_WAKE_BYTES = 4096
