from __future__ import annotations

import errno
import os

import pytest

from gnomon.author_code.processes.spawn_backoff import PAUSE_FIRST_S, PAUSE_MAX_S, SpawnBackoff, describe_refusal

pytestmark = pytest.mark.pure


def test_a_refusal_names_its_error() -> None:
    assert (
        describe_refusal(OSError(errno.EAGAIN, os.strerror(errno.EAGAIN)))
        == "Resource temporarily unavailable (EAGAIN)"
    )
    assert describe_refusal(OSError("said by hand")) == "said by hand"


def test_the_pause_doubles_up_to_its_bound_and_is_short_again_after_a_start() -> None:
    backoff, now, pauses = SpawnBackoff(), 100.0, []
    for _ in range(40):
        assert backoff.is_over(now) and backoff.refused("no", now)
        assert not backoff.is_over(now + backoff.pause_s - 0.01)
        pauses.append(backoff.pause_s)
        now += backoff.pause_s
    assert pauses[:4] == [PAUSE_FIRST_S, 2 * PAUSE_FIRST_S, 4 * PAUSE_FIRST_S, 8 * PAUSE_FIRST_S]
    assert pauses[-1] == PAUSE_MAX_S
    backoff.succeeded()
    assert backoff.refused("no", now) and backoff.pause_s == PAUSE_FIRST_S


def test_a_refusal_during_a_pause_does_not_make_it_longer() -> None:
    backoff = SpawnBackoff()
    assert backoff.refused("first", 1.0)
    assert not backoff.refused("second", 1.1)
    assert backoff.is_over(1.0 + PAUSE_FIRST_S) and backoff.reason == "first"
