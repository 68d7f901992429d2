"""`ResumableJobMixin`: an operator that runs a job elsewhere finds the job again when it is retried."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from gnomon.authoring.sdk.members.operator_meta import apply_default_args

_log = logging.getLogger("airflow.task")


class ResumableJobMixin(ABC):
    """For operators that submit a job to another system and wait for it: `class Submit(ResumableJobMixin, BaseOperator)`.

    `execute` returns `self.execute_resumable(context)`. The id of the job is kept in the task state store before the wait begins, so
    a retry waits for the job that runs already. Between `submit_job` and that moment a crash still leads to a second job.
    """

    external_id_key: str = "remote_job_id"
    """The key of the id in the task state store."""
    durable: bool

    def __init__(self, *, durable: bool = True, **kwargs: Any) -> None:
        """`durable` False: the id is not kept, and each try submits a job of its own."""
        super().__init__(**kwargs)
        self.durable = durable

    __init__ = apply_default_args(__init__)  # type: ignore[arg-type]

    def execute_resumable(self, context: Mapping[str, Any]) -> Any:
        """Wait for the job of an earlier try, take its result if it has succeeded, or submit a job and wait for it; return the result."""
        store = context.get("task_state_store") if self.durable else None
        if store is None and self.durable:
            _log.warning("there is no task state store: if this try is interrupted, the next one submits another job")
        earlier_id = None if store is None else store.get(self.external_id_key)
        if earlier_id is not None:
            status = self.get_job_status(earlier_id, context)
            if self.is_job_active(status):
                _log.info("job %s of an earlier try is %s: waiting for it", earlier_id, status)
                return self._wait(earlier_id, context)
            if self.is_job_succeeded(status):
                _log.info("job %s of an earlier try has succeeded", earlier_id)
                return self.get_job_result(earlier_id, context)
            _log.warning("job %s of an earlier try is %s: submitting another job", earlier_id, status)
        external_id = self.submit_job(context)
        if store is not None and external_id is not None:
            store.set(self.external_id_key, external_id)
        self.poll_until_complete(external_id, context)
        return self.get_job_result(external_id, context)

    def _wait(self, external_id: Any, context: Mapping[str, Any]) -> Any:
        """The value that the wait returns, as in Airflow, else the result of the job."""
        value = self.poll_until_complete(external_id, context)
        return value if value is not None else self.get_job_result(external_id, context)

    @abstractmethod
    def submit_job(self, context: Any) -> Any:
        """Submit the job and return its id, a JSON value; an id of None is not kept."""

    @abstractmethod
    def get_job_status(self, external_id: Any, context: Any) -> str:
        """Return the status of the job, in the words of the other system."""

    @abstractmethod
    def is_job_active(self, status: str) -> bool:
        """Return whether a job with this status is still running."""

    @abstractmethod
    def is_job_succeeded(self, status: str) -> bool:
        """Return whether a job with this status has succeeded."""

    @abstractmethod
    def poll_until_complete(self, external_id: Any, context: Any) -> None:
        """Block until the job has ended. Raise an exception when it failed."""

    @abstractmethod
    def get_job_result(self, external_id: Any, context: Any) -> Any:
        """Return the result of the job that has succeeded; None when it has none."""
