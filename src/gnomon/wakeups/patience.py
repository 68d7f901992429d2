"""Trying again what the world refuses for now, until it works or somebody says stop."""

from __future__ import annotations

import select
from collections.abc import Callable
from typing import TypeVar

from gnomon.errors import WorldAway
from gnomon.wakeups.stopping import StopFlag

T = TypeVar("T")
PAUSE_S = 1.0


def as_soon_as_possible(
    act: Callable[[], T], stop: StopFlag, on_refused: Callable[[WorldAway], None], pause_s: float = PAUSE_S
) -> T | None:
    """What `act` returns, tried again after each pause while it raises WorldAway; None when told to stop before.

    `on_refused` hears the first refusal: a service that waits says so once.
    """
    told = False
    while not stop():
        try:
            return act()
        except WorldAway as error:
            if not told:
                on_refused(error)
                told = True
        select.select([stop], [], [], pause_s)
    return None
