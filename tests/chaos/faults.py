"""Faults of a cluster at random by seed: a kill, a freeze or a cut of a process or a host, of the broker and of PostgreSQL; several at a time."""

from __future__ import annotations

import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from tests.chaos.cluster import Cluster, Host
from tests.chaos.processes import kill

SHORT_S = (0.3, 5.0)
LONG_S = (22.0, 28.0)
"""Longer than the time to live of a worker."""
LONG_SHARE = 0.15
AT_A_TIME = 3
KINDS = {
    "kill process": 8,
    "kill host": 3,
    "freeze process": 4,
    "freeze host": 3,
    "cut host": 5,
    "cut link": 4,
    "broker": 2,
    "postgres": 1,
}
"""How often each kind is chosen."""


@dataclass(frozen=True, slots=True)
class Freeze:
    """A host some of whose processes were frozen, in seconds since the epoch."""

    host: str
    since: float
    until: float


@dataclass(frozen=True, slots=True)
class _Active:
    target: str
    heals_at: float
    heal: Callable[[], None]


class Faults:
    """What is broken now, and what was."""

    def __init__(self, cluster: Cluster, rng: random.Random, long_share: float = LONG_SHARE) -> None:
        self._cluster, self._rng, self._long_share = cluster, rng, long_share
        self._active: list[_Active] = []
        self.freezes: list[Freeze] = []
        self.counts: Counter[str] = Counter()

    def strike(self) -> str:
        """Break something that is whole; returns what it was. Heals first what is due, and waits while AT_A_TIME things are broken."""
        self.heal_due()
        while len(self._active) >= AT_A_TIME:
            time.sleep(0.05)
            self.heal_due()
        what = None
        while what is None:
            kind = self._rng.choices(list(KINDS), list(KINDS.values()))[0]
            what = self._break(kind)
        self.counts[kind] += 1
        return what

    def heal_due(self) -> None:
        """Heal what has been broken for its time."""
        now = time.monotonic()
        for fault in [one for one in self._active if one.heals_at <= now]:
            fault.heal()
            self._active.remove(fault)

    def heal_all(self) -> None:
        """Heal everything now."""
        for fault in self._active:
            fault.heal()
        self._active.clear()

    def _break(self, kind: str) -> str | None:
        broken = {fault.target for fault in self._active}
        if kind == "broker":
            return None if "broker" in broken else self._break_broker()
        if kind == "postgres":
            return None if "postgres" in broken else self._break_postgres()
        whole = [host for name, host in self._cluster.hosts.items() if name not in broken and host.pids()]
        if not whole:
            return None
        host = self._rng.choice(whole)
        pids = host.pids()
        if kind == "kill process":
            pid = self._rng.choice(pids)
            kill(pid)
            return f"{kind} {pid} of {host.name}"
        if kind == "kill host":
            self._kill_host(host)
            return f"{kind} {host.name}"
        span_s = self._draw_span()
        if kind == "cut host":
            self._cluster.network.cut(host.name)
            self._heal_later(host.name, span_s, lambda: self._cluster.network.mend(host.name))
        elif kind == "cut link":
            address = self._rng.choice(host.reaches)
            self._cluster.network.cut_link(host.name, address)
            self._heal_later(host.name, span_s, lambda: self._cluster.network.mend_link(host.name, address))
            return f"{kind} {host.name} to {address} for {span_s:.1f} s"
        else:
            self._freeze(host, pids if kind == "freeze host" else [self._rng.choice(pids)], span_s)
        return f"{kind} {host.name} for {span_s:.1f} s"

    def _kill_host(self, host: Host) -> None:
        while pids := host.pids():
            for pid in pids:
                kill(pid)

    def _freeze(self, host: Host, pids: list[int], span_s: float) -> None:
        since = time.time()
        for pid in pids:
            kill(pid, signal.SIGSTOP)

        def thaw() -> None:
            for pid in pids:
                kill(pid, signal.SIGCONT)
            self.freezes.append(Freeze(host.name, since, time.time()))

        self._heal_later(host.name, span_s, thaw)

    def _break_broker(self) -> str:
        if self._rng.random() < 0.5:
            self._cluster.broker.restart()
            return "restart broker"
        self._cluster.broker.freeze()
        span_s = self._rng.uniform(*SHORT_S)
        self._heal_later("broker", span_s, self._cluster.broker.thaw)
        return f"freeze broker for {span_s:.1f} s"

    def _break_postgres(self) -> str:
        postgres = self._cluster.postgres
        if self._rng.random() < 0.5:
            postgres.kill()
            postgres.start()
            return "kill and start postgres"
        span_s = self._rng.uniform(*SHORT_S)
        postgres.send_signal(signal.SIGSTOP)
        self._heal_later("postgres", span_s, lambda: postgres.send_signal(signal.SIGCONT))
        return f"freeze postgres for {span_s:.1f} s"

    def _draw_span(self) -> float:
        return self._rng.uniform(*(LONG_S if self._rng.random() < self._long_share else SHORT_S))

    def _heal_later(self, target: str, span_s: float, heal: Callable[[], None]) -> None:
        self._active.append(_Active(target, time.monotonic() + span_s, heal))
