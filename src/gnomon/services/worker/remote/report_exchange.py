"""ReportExchange: claims, entries and results of a worker without a database go to the api-server together, in one request at a time.

What comes while a request is on its way goes with the next one. So a worker that is idle reports at once, and one that is busy needs fewer requests than it runs attempts.
"""

from __future__ import annotations

import itertools
import queue
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.ground.wakeups import BatchPace
from gnomon.model.attempts import AttemptResult
from gnomon.model.execution_messages import (
    REPORTS_MAX,
    ClaimedAttempt,
    Report,
    ReportedClaim,
    ReportedEntry,
    ReportedResult,
)
from gnomon.model.instants import Instant
from gnomon.services.worker.remote.execution_client import (
    ApiAway,
    ClaimRefused,
    ExecutionClient,
    UnreadableRequest,
    WorkerGivenUp,
    build_refusal,
)

events = log.get_logger("worker")

RETRY_S = 0.5
"""How long a report waits that the api-server could not answer; the next request as well, when it answered none."""
ENTRY_S = 0.1
"""How long an entry waits for the result of its attempt, which says when the attempt began. Entries only show that an attempt runs: a claimed attempt of a lost worker counts as begun."""


@dataclass(frozen=True, slots=True)
class WantedClaim:
    """A message of the broker."""

    attempt_id: str
    token: str
    until: float
    """The monotonic second at which it is given up."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Author code was entered."""

    attempt_id: str
    at: Instant


Order = WantedClaim | Entry | AttemptResult


class ReportListener(Protocol):
    """Learns what became of the reports, in the thread of the exchange."""

    def find_worker_id(self) -> str:
        """The present incarnation of the worker."""

    def count_carried(self) -> int:
        """The attempts that the worker claims, runs, or has results of."""

    def claim_alone(self, attempt_id: str, token: str, worker_id: str) -> ClaimedAttempt:
        """Claim an attempt with a request of its own. Raises as `ExecutionClient.claim`."""

    def on_claimed(self, worker_id: str, claimed: Sequence[ClaimedAttempt]) -> None:
        """This incarnation has claimed these attempts."""

    def on_not_claimed(self, attempt_id: str) -> None:
        """The attempt is not to run here."""

    def on_claim_given_up(self, attempt_id: str) -> None:
        """The api-server has not answered in time: another worker may reach it."""

    def on_worker_lost(self, worker_id: str) -> None:
        """An answer said that the incarnation was declared lost."""

    def on_reported(self, results: Sequence[AttemptResult]) -> None:
        """The api-server has these results, or has refused them for good."""

    def report_alone(self, result: AttemptResult) -> None:
        """Report a result that cannot be in a batch, without blocking."""


class ReportExchange:
    """One thread. `put` may be called by every thread."""

    def __init__(self, client: ExecutionClient, listener: ReportListener, clock: Clock) -> None:
        self._client = client
        self._listener = listener
        self._clock = clock
        self._orders: queue.SimpleQueue[Order | None] = queue.SimpleQueue()
        self._left: list[Order] = []
        """What is to be repeated at `_left_at`."""
        self._pace = BatchPace(window_s=0.25, paced_a_second=40.0, wait_max_s=0.025)
        self._entries: dict[str, tuple[float, Entry]] = {}
        """By attempt id, the oldest first: the monotonic second at which the entry is reported, if its result has not come before."""
        self._left_at = self._next_at = clock.monotonic()
        """Monotonic seconds; `_next_at`: when the next request may begin."""
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="report-exchange", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def put(self, order: Order) -> None:
        """Report this with the next request."""
        self._orders.put(order)

    def close(self) -> None:
        """End the thread; what is not reported stays so."""
        self._stop.set()
        self._orders.put(None)
        if self._thread.ident is not None:
            self._thread.join(2.0)

    def _run(self) -> None:
        while not self._stop.is_set():
            orders = self._gather()
            if self._stop.is_set():
                return
            if not orders:
                continue
            try:
                to_repeat = self._exchange(orders)
            except Exception:  # a fault of ours must not end the thread: nothing would be reported any more
                events.exception("reports_failed", reports=len(orders), next="each is reported by itself")
                to_repeat = self._exchange_each(orders)
            now = self._clock.monotonic()
            self._pace.record(sum(isinstance(order, AttemptResult) for order in orders), now)
            self._next_at = now + (
                self._pace.find_wait_s(self._listener.count_carried(), now, now)
                if len(to_repeat) < len(orders)
                else RETRY_S
            )
            if to_repeat and not self._left:
                self._left_at = now + RETRY_S
            self._left += to_repeat

    def _gather(self) -> list[Order]:
        """What is to be reported now: waits for the first order, and a moment for others. Empty when nothing is due yet."""
        due_orders: list[Order] = []
        try:
            self._sort(self._orders.get(timeout=self._find_wait_s()), due_orders)
        except queue.Empty:
            pass
        if not due_orders and self._find_wait_s():
            return []  # an entry, which waits for its result
        if (pause := self._next_at - self._clock.monotonic()) > 0:
            self._stop.wait(pause)
        now = self._clock.monotonic()
        if self._left and now >= self._left_at:
            due_orders, self._left = (
                self._left[: REPORTS_MAX - len(due_orders)] + due_orders,
                self._left[REPORTS_MAX - len(due_orders) :],
            )
        while len(due_orders) < REPORTS_MAX:
            try:
                self._sort(self._orders.get_nowait(), due_orders)
            except queue.Empty:
                break
        due = [attempt_id for attempt_id, (at, _) in self._entries.items() if at <= now][
            : REPORTS_MAX - len(due_orders)
        ]
        return due_orders + [self._entries.pop(attempt_id)[1] for attempt_id in due]

    def _sort(self, order: Order | None, due_orders: list[Order]) -> None:
        """Add the order to those that are reported now, or keep it. An entry goes before its result, or not at all when the result says when the attempt began."""
        if isinstance(order, Entry):
            self._entries[order.attempt_id] = (self._clock.monotonic() + ENTRY_S, order)
        elif order is not None:
            entry = self._entries.pop(order.attempt_id, None) if isinstance(order, AttemptResult) else None
            if entry is not None and isinstance(order, AttemptResult) and order.started_at is None:
                due_orders.append(entry[1])
            due_orders.append(order)

    def _find_wait_s(self) -> float | None:
        """Seconds until something is due that waits here; None: nothing does."""
        times = [self._left_at] if self._left else []
        times += [at for at, _ in itertools.islice(self._entries.values(), 1)]
        return max(0.0, min(times) - self._clock.monotonic()) if times else None

    def _exchange_each(self, orders: Sequence[Order]) -> list[Order]:
        """As `_exchange`, one by one. What fails then can never be sent: it is dropped, or it would be repeated for ever with all that comes beside it."""
        to_repeat: list[Order] = []
        for order in orders:
            try:
                to_repeat += self._exchange([order])
            except Exception as error:
                events.error(
                    "report_dropped",
                    attempt=order.attempt_id,
                    report=type(order).__name__,
                    error=f"{type(error).__name__}: {error}",
                )
                self._drop(order)
        return to_repeat

    def _drop(self, order: Order) -> None:
        if isinstance(order, WantedClaim):
            self._listener.on_not_claimed(order.attempt_id)
        elif isinstance(order, AttemptResult):
            self._listener.on_reported([order])  # no heartbeat names the attempt from now on: it is lost

    def _exchange(self, orders: Sequence[Order]) -> list[Order]:
        """Report these; returns what is to be repeated."""
        remaining = list(orders)
        worker_id = self._listener.find_worker_id()
        to_repeat: list[Order] = []
        claims = [order for order in remaining if isinstance(order, WantedClaim)]
        while (
            claims and not to_repeat and not self._client.is_known(worker_id)
        ):  # the first claim that succeeds registers the worker
            first = claims.pop(0)
            remaining.remove(first)
            to_repeat += self._report_each(worker_id, [first])
        if not self._client.is_known(worker_id):
            others = [order for order in remaining if not isinstance(order, WantedClaim)]
            return (
                to_repeat
                + self._keep_claims(claims, "the worker is not registered")
                + self._report_each(worker_id, others)
            )
        return to_repeat + self._report_together(worker_id, remaining)

    def _report_together(self, worker_id: str, orders: Sequence[Order]) -> list[Order]:
        sent: list[Order] = []
        reports: list[Report] = []
        for order in orders:
            report = self._build_report(order)
            if report is not None:
                sent.append(order)
                reports.append(report)
        if not reports:
            return []
        try:
            answers = self._client.report(worker_id, reports)
        except (ClaimRefused, WorkerGivenUp, UnreadableRequest) as error:
            events.warning(
                "batch_refused",
                worker=worker_id,
                reports=len(reports),
                error=str(error),
                next="each is reported by itself",
            )
            return self._report_each(worker_id, sent)
        except ApiAway as error:
            return self._keep(sent, error)
        to_repeat: list[Order] = []
        claimed, reported = [], []
        for order, answer in zip(sent, answers, strict=True):
            if answer.claimed is not None:
                claimed.append(answer.claimed)
            elif answer.status in (200, 204):
                if isinstance(order, AttemptResult):
                    reported.append(order)
            else:
                to_repeat += self._on_refusal(worker_id, order, build_refusal(answer.status, answer.detail))
        if claimed:
            self._listener.on_claimed(worker_id, claimed)
        if reported:
            self._listener.on_reported(reported)
        return to_repeat

    def _build_report(self, order: Order) -> Report | None:
        """None: the attempt was refused before, so nothing more can be reported about it."""
        if isinstance(order, WantedClaim):
            return ReportedClaim(attempt_id=order.attempt_id, token=order.token)
        try:
            token = self._client.find_token(order.attempt_id)
        except ClaimRefused as error:
            if not isinstance(
                order, Entry
            ):  # an entry that waited: the attempt has ended, and its result was not reported here
                self._on_refusal("", order, error)
            return None
        if isinstance(order, Entry):
            return ReportedEntry(attempt_id=order.attempt_id, token=token, at=order.at)
        return ReportedResult(token=token, result=order)

    def _report_each(self, worker_id: str, orders: Iterable[Order]) -> list[Order]:
        """As `_report_together`, each with a request of its own."""
        to_repeat: list[Order] = []
        for order in orders:
            try:
                if isinstance(order, WantedClaim):
                    self._listener.on_claimed(
                        worker_id, [self._listener.claim_alone(order.attempt_id, order.token, worker_id)]
                    )
                elif isinstance(order, Entry):
                    self._client.enter(order.attempt_id, order.at)
                else:
                    self._listener.report_alone(order)
            except (ApiAway, ClaimRefused, WorkerGivenUp) as error:
                to_repeat += self._on_refusal(worker_id, order, error)
        return to_repeat

    def _on_refusal(self, worker_id: str, order: Order, error: Exception) -> list[Order]:
        """What of the order is to be repeated: itself, or nothing."""
        if isinstance(order, WantedClaim):
            if isinstance(error, ClaimRefused):
                events.info("claim_refused", attempt=order.attempt_id, reason=str(error))
                self._listener.on_not_claimed(order.attempt_id)
                return []
            if isinstance(error, UnreadableRequest):
                events.warning("claim_dropped", attempt=order.attempt_id, reason=str(error))
                self._listener.on_not_claimed(order.attempt_id)
                return []
            if isinstance(error, WorkerGivenUp):
                self._listener.on_worker_lost(worker_id)
            return self._keep_claims([order], str(error))
        if isinstance(order, AttemptResult) and isinstance(error, UnreadableRequest):
            self._listener.report_alone(order)
            return []
        if isinstance(error, ApiAway) and not isinstance(error, UnreadableRequest):
            return self._keep([order], error)
        events.warning("report_refused", attempt=order.attempt_id, error=str(error))
        if isinstance(order, AttemptResult):
            self._listener.on_reported([order])
        return []

    def _keep(self, orders: Sequence[Order], error: Exception) -> list[Order]:
        claims = [order for order in orders if isinstance(order, WantedClaim)]
        others = [order for order in orders if not isinstance(order, WantedClaim)]
        if others:
            events.warning("reports_wait", attempts=[order.attempt_id for order in others], error=str(error))
        return [*self._keep_claims(claims, str(error)), *others]

    def _keep_claims(self, claims: Iterable[WantedClaim], reason: str) -> list[Order]:
        """Those whose time is not over; the others are given up."""
        to_repeat: list[Order] = []
        for claim in claims:
            if self._clock.monotonic() >= claim.until:
                events.warning(
                    "claim_given_up",
                    attempt=claim.attempt_id,
                    error=reason,
                    next="the message goes back to the broker, and no other is taken until the api-server answers",
                )
                self._listener.on_claim_given_up(claim.attempt_id)
            else:
                to_repeat.append(claim)
        return to_repeat
