"""The worker's place in the store, as the service needs it; `stored.py` has it for real."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from gnomon.model.facts import Attempt, AttemptResult
from gnomon.model.questions import AnyQuestion
from gnomon.model.records import WorkerRecord


class StoreAway(Exception):
    """The store cannot be reached now; asking again later may help."""


class Presence(Protocol):
    """Short blocking calls; each raises StoreAway when the store does not answer."""

    def register(self, record: WorkerRecord) -> None:
        """Schedulers can find this incarnation."""

    def beat(self, worker_id: str) -> bool:
        """This incarnation lives; False when it was declared lost."""

    def retire(self, worker_id: str) -> None:
        """This incarnation is gone, in order."""

    def mail(self, worker_id: str, results: Sequence[AttemptResult]) -> None:
        """The owners of their groups find these results in their mail."""

    def answer(self, attempt: Attempt | None, question: AnyQuestion) -> object:
        """The answer to author code, with the rights of its attempt; raises `taskapi.Refused` in words.

        `attempt` None: a DAG file asks while it is imported.
        """
