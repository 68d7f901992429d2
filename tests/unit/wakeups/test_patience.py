"""A service that starts while the world is away waits for it, says so once, and ends when it is told to."""

from __future__ import annotations

import os
import signal

from gnomon.errors import WorldAway
from gnomon.wakeups import StopFlag, as_soon_as_possible


def test_what_works_at_once_is_returned_at_once() -> None:
    stop = StopFlag()
    heard: list[WorldAway] = []
    assert as_soon_as_possible(lambda: 7, stop, heard.append) == 7
    assert heard == []
    stop.close()


def test_a_refusal_is_told_once_and_tried_again() -> None:
    stop = StopFlag()
    answers = iter([WorldAway("first"), WorldAway("second"), 7])
    heard: list[WorldAway] = []

    def act() -> object:
        answer = next(answers)
        if isinstance(answer, WorldAway):
            raise answer
        return answer

    assert as_soon_as_possible(act, stop, heard.append, pause_s=0.0) == 7
    assert [str(error) for error in heard] == ["first"]
    stop.close()


def test_the_wait_ends_when_the_service_is_told_to_stop() -> None:
    before = signal.getsignal(signal.SIGTERM)
    stop = StopFlag().listen()

    def refuse() -> object:
        os.kill(os.getpid(), signal.SIGTERM)
        raise WorldAway("not now")

    try:
        assert as_soon_as_possible(refuse, stop, lambda _: None, pause_s=60.0) is None
    finally:
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, before)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        stop.close()
