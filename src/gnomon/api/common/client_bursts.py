"""`ClientBursts`: the processor time that each client may use at once after a pause, whatever other clients use.

A client is a login of an address. Logins are not checked here, so that an address that invents them has a bound of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

BURST_S = 1.0
"""Processor seconds that a login may use at once after a pause."""
ADDRESS_BURST_S = 4.0
"""Processor seconds that all logins of an address together may use at once."""
PAUSE_S = 0.25
"""A login without a request for so many seconds makes a pause, in which its burst grows again."""
CLIENTS_MAX = 4096
"""Logins, and addresses, that are remembered; the one without a request for the longest time is forgotten."""


@dataclass(slots=True)
class _Burst:
    left_s: float
    at: float


class ClientBursts:
    """A login that sends request after request has used up its burst, and so has no other login."""

    def __init__(self, refill: float) -> None:
        """`refill`: processor seconds that a burst grows by in each second of a pause."""
        self._refill = refill
        self._logins: dict[tuple[str, bytes], _Burst] = {}
        self._addresses: dict[str, _Burst] = {}

    def has_left(self, address: str, login: bytes, now: float) -> bool:
        """Whether the login, and its address, may use more."""
        return self._find_login_left(address, login, now) > 0 and self._find_address_left(address, now) > 0

    def charge(self, address: str, login: bytes, now: float, cost_s: float) -> None:
        """A request of the login begins, for whatever reason it may."""
        left_s = max(self._find_login_left(address, login, now) - cost_s, 0.0)
        self._logins.pop((address, login), None)
        self._logins[address, login] = _Burst(left_s, now)
        if len(self._logins) > CLIENTS_MAX:
            del self._logins[next(iter(self._logins))]

    def charge_address(self, address: str, now: float, cost_s: float) -> None:
        """A request begins only because its login has some of its burst left."""
        left_s = self._find_address_left(address, now) - cost_s
        self._addresses.pop(address, None)
        self._addresses[address] = _Burst(left_s, now)
        if len(self._addresses) > CLIENTS_MAX:
            del self._addresses[next(iter(self._addresses))]

    def _find_login_left(self, address: str, login: bytes, now: float) -> float:
        burst = self._logins.get((address, login))
        if burst is None:
            return BURST_S
        pause_s = now - burst.at
        return burst.left_s if pause_s < PAUSE_S else min(BURST_S, burst.left_s + pause_s * self._refill)

    def _find_address_left(self, address: str, now: float) -> float:
        burst = self._addresses.get(address)
        return (
            ADDRESS_BURST_S if burst is None else min(ADDRESS_BURST_S, burst.left_s + (now - burst.at) * self._refill)
        )
