"""Retries a call while a resource is unavailable, until it succeeds or the process is told to stop."""

from __future__ import annotations

import select
from collections.abc import Callable
from typing import TypeVar

from gnomon.ground.wakeups.stop_signals import StopFlag
from gnomon.model.errors import ResourceUnavailable

T = TypeVar("T")
RETRY_DELAY_S = 1.0


def retry_until_available(
    act: Callable[[], T],
    stop: StopFlag,
    on_refused: Callable[[ResourceUnavailable], None],
    pause_s: float = RETRY_DELAY_S,
) -> T | None:
    """The result of `act`, called again every `pause_s` seconds while it raises ResourceUnavailable; None when `stop` was set.

    `on_refused` is called for the first ResourceUnavailable only, so that a waiting service logs it once.
    """
    is_reported = False
    while not stop():
        try:
            return act()
        except ResourceUnavailable as error:
            if not is_reported:
                on_refused(error)
                is_reported = True
        select.select([stop], [], [], pause_s)
    return None
