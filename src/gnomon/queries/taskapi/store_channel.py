"""Answers requests of this process for Variables and connections from the store, without a socket."""

from __future__ import annotations

from gnomon.model.task_api_requests import TaskApiRequest
from gnomon.queries.taskapi.answers import answer_task
from gnomon.storage import store


class StoreChannel:
    """The channel (`sdk.runtime.channel`) of a service that has the database open. It has the rights of a DAG file: it reads only."""

    def __init__(self, database: store.Database) -> None:
        self._database = database

    def ask(self, question: TaskApiRequest) -> object:
        """The answer. Raises TaskApiRefused, and the errors of the store while it is unreachable."""
        return answer_task(self._database, None, question)  # type: ignore[arg-type]
