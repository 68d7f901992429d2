"""What is kept of the answers of secrets backends has bounds, whatever a request says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gnomon.ground.clock import VirtualClock
from gnomon.model.task_api_requests import GetCachedSecret, SetCachedSecret
from gnomon.queries.taskapi import secret_cache
from gnomon.queries.taskapi.secret_cache import answer_secret_cache, forget_cached_secrets


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[VirtualClock]:
    clock = VirtualClock(0)
    monkeypatch.setattr(secret_cache, "_clock", clock)
    forget_cached_secrets()
    yield clock
    forget_cached_secrets()


def keep(name: str, text: str | None, ttl_s: float = 60.0) -> None:
    assert answer_secret_cache(SetCachedSecret(kind="variable", name=name, text=text, ttl_s=ttl_s)) is None


def find(name: str) -> dict[str, str | None] | None:
    return answer_secret_cache(GetCachedSecret(kind="variable", name=name))


@pytest.mark.parametrize("ttl_s", [1e9, float("inf"), secret_cache.TTL_MAX_S * 2])
def test_no_answer_is_kept_for_more_than_a_day(ttl_s: float, clock: VirtualClock) -> None:
    keep("a", "x", ttl_s)
    clock.advance(secret_cache.TTL_MAX_S - 1)
    assert find("a") == {"text": "x"}
    clock.advance(2)
    assert find("a") is None


@pytest.mark.parametrize("ttl_s", [0.0, -1.0, float("nan"), float("-inf")])
def test_a_time_that_is_none_keeps_nothing_and_forgets_what_was_kept(ttl_s: float) -> None:
    keep("a", "x")
    keep("a", "y", ttl_s)
    assert find("a") is None


def test_the_number_and_the_size_of_what_is_kept_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secret_cache, "CACHED_MAX", 3)
    for name in "abcd":
        keep(name, name)
    assert [find(name) for name in "abcd"] == [None, {"text": "b"}, {"text": "c"}, {"text": "d"}]
    monkeypatch.setattr(secret_cache, "CHARACTERS_MAX", 100)
    keep("e", "x" * 60)
    keep("f", "y" * 60)
    assert [find("e"), find("f")] == [None, {"text": "y" * 60}]
    monkeypatch.setattr(secret_cache, "TEXT_MAX", 50)
    keep("f", "z" * 60)
    assert find("f") is None, "neither the long answer nor the one before"
