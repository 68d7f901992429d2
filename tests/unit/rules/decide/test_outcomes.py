"""Retry delays: constant, exponential with a steady jitter, always bounded. Why a run failed, in words."""

from __future__ import annotations

from gnomon.model.instants import SECOND
from gnomon.model.spec import TaskSpec
from gnomon.model.states import TaskInstanceState as S
from gnomon.rules.decide.outcomes import (
    RETRY_DELAY_CAP_S,
    EndedInstance,
    build_fail_fast_reason,
    compute_retry_at,
    describe_run_failure,
    has_try_left,
)


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


def ended(name: str, state: S = S.FAILED, reason: str | None = None, at: int = 1) -> EndedInstance:
    return EndedInstance(name, state, reason, at)


def test_what_failed_first_comes_first_and_what_fail_fast_stopped_last() -> None:
    causes = [
        ended("a", reason=build_fail_fast_reason("x"), at=1),
        ended("x", reason="no", at=1),
        ended("w", reason="yes", at=0),
    ]
    assert (
        describe_run_failure(causes, causes)
        == "task w failed: yes; task x failed: no; task a failed: fail_fast: task x failed"
    )


def test_many_causes_many_victims_and_long_reasons_are_cut() -> None:
    causes = [ended(f"t[{n}]", reason="y" * 1000, at=n) for n in range(9)]
    told = describe_run_failure(causes, [ended(f"v{n}", S.UPSTREAM_FAILED) for n in range(7)])
    assert told.startswith(f"task t[0] failed: {'y' * 300}…; task t[1]")
    assert told.endswith(" and 6 more; not run because of it: v0, v1, v2, v3, v4 and 2 more")


def test_leaves_without_a_failed_task_are_named_with_their_reasons() -> None:
    leaves = [ended("a", S.UPSTREAM_FAILED, "marked upstream_failed by me"), ended("b", S.SUCCESS)]
    assert describe_run_failure([], leaves) == "task a upstream_failed: marked upstream_failed by me"
