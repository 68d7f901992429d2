"""Retry delays: constant, exponential with a steady jitter, always bounded."""

from __future__ import annotations

from gnomon.decide.outcomes import RETRY_DELAY_CAP_S, compute_retry_at, has_try_left
from gnomon.model.instants import SECOND
from gnomon.model.spec import TaskSpec


def delay_s(task: TaskSpec, try_number: int, seed: str = "d/r/t") -> float:
    return compute_retry_at(task, try_number, seed, 0) / SECOND


def test_retries_count_beside_the_first_try() -> None:
    assert [has_try_left(n, 2) for n in (1, 2, 3)] == [True, True, False]


def test_a_plain_delay_is_constant() -> None:
    task = TaskSpec(task_id="t", retry_delay_s=7)
    assert [delay_s(task, n) for n in (1, 2, 9)] == [7, 7, 7]


def test_an_exponential_delay_grows_within_its_jitter() -> None:
    task = TaskSpec(task_id="t", retry_delay_s=10, retry_exponential_backoff=2.0)
    for n in range(1, 8):
        assert 10 * 2 ** (n - 1) <= delay_s(task, n) < 20 * 2 ** (n - 1)


def test_the_same_attempt_always_waits_the_same() -> None:
    task = TaskSpec(task_id="t", retry_delay_s=10, retry_exponential_backoff=2.0)
    assert delay_s(task, 3) == delay_s(task, 3)
    assert delay_s(task, 3) != delay_s(task, 3, seed="another run")


def test_no_delay_is_longer_than_its_bounds() -> None:
    task = TaskSpec(task_id="t", retry_delay_s=10, retry_exponential_backoff=3.0, max_retry_delay_s=60)
    assert delay_s(task, 50) == 60
    huge = TaskSpec(task_id="t", retry_delay_s=10, retry_exponential_backoff=3.0)
    assert delay_s(huge, 10_000) == RETRY_DELAY_CAP_S
