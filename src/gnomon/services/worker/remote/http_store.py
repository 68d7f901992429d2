"""A WorkerStore over the execution API, and the elements and cancellations that its answers brought."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterable, Sequence

from gnomon.ground import log
from gnomon.model.attempts import Attempt, AttemptResult, XComElement
from gnomon.model.execution_messages import Figure
from gnomon.model.instants import Instant
from gnomon.model.records import WorkerRecord
from gnomon.model.task_api_requests import AnyTaskApiRequest, GetCachedSecret, SetCachedSecret
from gnomon.queries.taskapi.secret_cache import answer_secret_cache
from gnomon.services.worker.remote.execution_client import (
    AWAY_MAX_S,
    ApiAway,
    ApiNotListening,
    ApiSilent,
    ClaimRefused,
    ExecutionClient,
    WorkerGivenUp,
)
from gnomon.services.worker.worker_store import WorkerStoreAway, WorkerStoreUnavailable

events = log.get_logger("worker")


class HttpWorkerStore:
    """The store as the loop of a worker sees it, without a database."""

    def __init__(self, client: ExecutionClient, is_broker_reachable: Callable[[], bool] = lambda: False) -> None:
        """`is_broker_reachable`: asked when no answer says whether the api-server is away or this worker is cut off."""
        self._client = client
        self._is_broker_reachable = is_broker_reachable
        self._is_cut_off = False
        """True when nothing shows that this worker reaches other hosts: schedulers may then declare it lost while its attempts run."""
        self.list_held: Callable[[], Iterable[str]] = lambda: ()
        """The attempts that the relay carries."""
        self.take_figures: Callable[[], Iterable[Figure]] = lambda: ()
        """What the worker counts of itself, when it is time to send it."""
        self.on_clock: Callable[[Instant], object] = lambda _now: None
        """Called with the clock of the database, when an answer names it."""
        self._worker_id = ""
        self._given_up_id = ""
        self._is_silent = False
        """True from a request without an answer until the next heartbeat: further requests would keep the loop from its heartbeats."""
        self._elements: dict[str, tuple[XComElement, ...]] = {}
        self.cancellations: queue.SimpleQueue[tuple[str, str, float]] = queue.SimpleQueue()
        """(attempt id, reason, grace) as heartbeats bring them, again with each."""
        self.ended: queue.SimpleQueue[AttemptResult] = queue.SimpleQueue()
        """Results that the loop delivered, or that were refused: it has forgotten them, and nobody else reports them."""

    def keep_elements(self, attempt_id: str, elements: tuple[XComElement, ...]) -> None:
        """Keep the elements that the claim brought until the attempt starts."""
        if elements:
            self._elements[attempt_id] = elements

    def register(self, record: WorkerRecord) -> None:
        """Nothing: the first claim registers the worker, because only then it has a token."""
        self._client.begin(record.worker_id)
        self._worker_id = record.worker_id

    def give_up(self, worker_id: str) -> None:
        """An answer said that this incarnation was declared lost: its next heartbeat ends it."""
        self._given_up_id = worker_id

    def beat(self, worker_id: str) -> bool:
        if worker_id == self._given_up_id:
            return False
        if not self._client.is_known(worker_id):
            return True
        try:
            beat = self._client.beat(worker_id, self.list_held(), self.take_figures())
            self._is_silent = self._is_cut_off = False
        except ApiAway as error:
            self._is_silent = isinstance(error, ApiSilent)
            self._is_cut_off = (
                self._is_silent and not isinstance(error, ApiNotListening) and not self._is_broker_reachable()
            )
            raise WorkerStoreUnavailable(str(error)) from error
        except (ClaimRefused, WorkerGivenUp) as error:
            events.warning("worker_given_up", worker=worker_id, error=str(error))
            return False
        if beat.now:
            self.on_clock(beat.now)
        for cancellation in beat.cancellations:
            self.cancellations.put(cancellation)
        return True

    def find_silence_limit(self, ttl_s: float) -> float:
        """AWAY_MAX_S while it is the api-server that is away: schedulers do not count that time against workers. A worker that is cut off ends sooner."""
        return ttl_s / 2 if self._is_cut_off else AWAY_MAX_S

    def find_run_limit(self, ttl_s: float) -> float:
        """Half of the time to live: only schedulers know whether an api-server is up, and while one is, they give the attempts of a silent worker to others."""
        return ttl_s / 2

    def retire(self, worker_id: str) -> None:
        if not self._client.is_known(worker_id):
            return
        try:
            self._client.retire(worker_id)
        except (ApiAway, ClaimRefused, WorkerGivenUp) as error:
            raise WorkerStoreUnavailable(str(error)) from error

    def mail_results(self, worker_id: str, results: Sequence[AttemptResult]) -> None:
        self._require_answers()
        for result in results:
            ended = result
            try:
                ended = self._client.end(result)
            except ApiAway as error:
                self._is_silent = isinstance(error, ApiSilent)
                raise WorkerStoreUnavailable(str(error)) from error
            except (ClaimRefused, WorkerGivenUp) as error:
                events.warning("result_refused", attempt=result.attempt_id, error=str(error))
            self.ended.put(ended)

    def answer_request(self, attempt: Attempt | None, request: AnyTaskApiRequest) -> object:
        if isinstance(request, GetCachedSecret | SetCachedSecret):
            return answer_secret_cache(request) if attempt is None else None
        self._require_answers()
        try:
            if attempt is None:
                return self._client.ask_for_import(self._worker_id, request)
            return self._client.ask(attempt.attempt_id, request)
        except ApiAway as error:
            self._is_silent = isinstance(error, ApiSilent)
            raise WorkerStoreAway(str(error)) from error
        except (ClaimRefused, WorkerGivenUp) as error:
            raise WorkerStoreUnavailable(str(error)) from error

    def _require_answers(self) -> None:
        if self._is_silent:
            raise WorkerStoreAway(
                "the api-server has not answered the last request; a heartbeat asks it again within a second"
            )

    def read_elements(self, attempt: Attempt) -> tuple[XComElement, ...]:
        return self._elements.pop(attempt.attempt_id, ())
