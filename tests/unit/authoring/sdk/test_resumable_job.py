"""`ResumableJobMixin`: which job a try waits for."""

from __future__ import annotations

from typing import Any

import pytest

from gnomon.authoring.sdk import DAG, BaseOperator
from gnomon.authoring.sdk.tasks.resumable_job import ResumableJobMixin


class Store(dict[str, Any]):
    """A task state store in memory."""

    def set(self, key: str, value: Any) -> None:
        self[key] = value


class Job(ResumableJobMixin, BaseOperator):
    """Runs a job of another system, whose status the test sets."""

    def __init__(self, *, status: str = "", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.status, self.calls = status, []  # type: ignore[var-annotated]

    def execute(self, context: Any) -> Any:
        return self.execute_resumable(context)

    def submit_job(self, context: Any) -> Any:
        self.calls.append("submit")
        return 7

    def get_job_status(self, external_id: Any, context: Any) -> str:
        return self.status

    def is_job_active(self, status: str) -> bool:
        return status == "active"

    def is_job_succeeded(self, status: str) -> bool:
        return status == "succeeded"

    def poll_until_complete(self, external_id: Any, context: Any) -> None:
        self.calls.append(f"wait {external_id}")

    def get_job_result(self, external_id: Any, context: Any) -> Any:
        return f"result {external_id}"


@pytest.mark.parametrize(
    ("status", "known", "calls", "result"),
    [
        ("", None, ["submit", "wait 7"], "result 7"),
        ("active", 3, ["wait 3"], "result 3"),
        ("succeeded", 3, [], "result 3"),
        ("failed", 3, ["submit", "wait 7"], "result 7"),
        ("active", 0, ["wait 0"], "result 0"),
    ],
)
def test_a_try_waits_for_the_job_of_an_earlier_try_unless_that_failed(
    status: str, known: int | None, calls: list[str], result: str
) -> None:
    job, store = Job(task_id="job", status=status), Store()
    if known is not None:
        store["remote_job_id"] = known
    assert job.execute({"task_state_store": store}) == result
    assert job.calls == calls
    assert store["remote_job_id"] == (7 if "submit" in calls else known)


def test_a_job_that_is_not_durable_is_submitted_by_each_try() -> None:
    with DAG("d", default_args={"durable": False}):
        job = Job(task_id="job")
    store = Store(remote_job_id=3)
    assert not job.durable and job.execute({"task_state_store": store}) == "result 7" and store == {"remote_job_id": 3}


def test_without_a_store_the_job_runs_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    assert Job(task_id="job").execute({}) == "result 7"
    assert "there is no task state store" in caplog.text


def test_the_methods_about_the_other_system_are_required() -> None:
    class Half(ResumableJobMixin, BaseOperator):
        pass

    with pytest.raises(TypeError, match="abstract"):
        Half(task_id="job")
