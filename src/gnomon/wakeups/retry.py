"""Trying again what the world refuses for now, until it works or somebody says stop."""

from __future__ import annotations

import select
from collections.abc import Callable
from typing import TypeVar

from gnomon.errors import ResourceUnavailable
from gnomon.wakeups.stop_signals import StopFlag

T = TypeVar("T")
RETRY_DELAY_S = 1.0


def retry_until_available(
    act: Callable[[], T], stop: StopFlag, on_refused: Callable[[ResourceUnavailable], None], pause_s: float = RETRY_DELAY_S
) -> T | None:
    """What `act_randomly` returns, tried again after each pause while it raises WorldAway; None when told to stop before.

    `on_refused` hears the first refusal: a service that waits says so once.
    """
    told = False
    while not stop():
        try:
            return act()
        except ResourceUnavailable as error:
            if not told:
                on_refused(error)
                told = True
        select.select([stop], [], [], pause_s)
    return None
