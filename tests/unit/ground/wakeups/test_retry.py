"""A service that starts while the world is away waits for it, says so once, and ends when it is told to."""

from __future__ import annotations

import signal

from gnomon.ground.wakeups import StopFlag, retry_until_available
from gnomon.model.errors import ResourceUnavailable


def test_what_works_at_once_is_returned_at_once() -> None:
    stop = StopFlag()
    heard: list[ResourceUnavailable] = []
    assert retry_until_available(lambda: 7, stop, heard.append) == 7
    assert heard == []
    stop.close()


def test_a_refusal_is_told_once_and_tried_again() -> None:
    stop = StopFlag()
    answers = iter([ResourceUnavailable("first"), ResourceUnavailable("second"), 7])
    heard: list[ResourceUnavailable] = []

    def act() -> object:
        answer = next(answers)
        if isinstance(answer, ResourceUnavailable):
            raise answer
        return answer

    assert retry_until_available(act, stop, heard.append, pause_s=0.0) == 7
    assert [str(error) for error in heard] == ["first"]
    stop.close()


def test_the_wait_ends_when_the_service_is_told_to_stop() -> None:
    before = signal.getsignal(signal.SIGTERM)
    stop = StopFlag().install_handlers()

    def refuse() -> object:
        signal.raise_signal(signal.SIGTERM)
        raise ResourceUnavailable("not now")

    try:
        assert retry_until_available(refuse, stop, lambda _: None, pause_s=60.0) is None
    finally:
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, before)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        stop.close()
