"""`RequestTurns`: requests that wait, one turn for each client address in order, and within an address one for each login."""

from __future__ import annotations

import asyncio
from collections import deque

WAITING_MAX = 256
"""Requests that may wait for one client address: above it a request is refused."""


class RequestTurns:
    """A client that sends a thousand requests and one that sends a single request get as many turns."""

    def __init__(self) -> None:
        self._addresses: dict[str, dict[bytes, deque[asyncio.Future[None]]]] = {}
        self._counts: dict[str, int] = {}

    def __bool__(self) -> bool:
        """Whether a request waits."""
        return bool(self._addresses)

    def add(self, address: str, login: bytes) -> asyncio.Future[None] | None:
        """What the request has to wait for; None when too many requests of the address wait already. `login`: its token or cookie."""
        count = self._counts.get(address, 0)
        if count >= WAITING_MAX:
            return None
        self._counts[address] = count + 1
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._addresses.setdefault(address, {}).setdefault(login, deque()).append(turn)
        return turn

    def call_next(self) -> tuple[str, bytes] | None:
        """End the wait of the request whose turn it is and return its address and login; None when none waits. Requests that were cancelled are passed over."""
        while self._addresses:
            address, login, turn = self._pop()
            if not turn.done():
                turn.set_result(None)
                return address, login
        return None

    def _pop(self) -> tuple[str, bytes, asyncio.Future[None]]:
        """The turn of the first login of the first address; both go to the end of their lists."""
        address = next(iter(self._addresses))
        logins = self._addresses.pop(address)
        login = next(iter(logins))
        turns = logins.pop(login)
        turn = turns.popleft()
        if turns:
            logins[login] = turns
        if logins:
            self._addresses[address] = logins
            self._counts[address] -= 1
        else:
            del self._counts[address]
        return address, login, turn
