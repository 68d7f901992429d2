"""A monitor under a virtual clock, with channels that a test reads, for tests on both databases."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from tests.conformance.storeworld import AT, World

from gnomon.ground.clock import VirtualClock
from gnomon.ground.config.alert_channels import AlertChannel
from gnomon.ground.config.alert_rules import AlertRule
from gnomon.model.alerts import AlertEvent, AlertFacts, AlertKind, DeliveryRecord
from gnomon.model.ids import UNMAPPED
from gnomon.model.records import Changes, EventRecord, RunRecord
from gnomon.model.states import DagRunState
from gnomon.services.monitor.baseline_evaluation import StartForecast
from gnomon.services.monitor.service import MonitorService
from gnomon.services.monitor.settings import MonitorSettings
from gnomon.storage.store.dag_records.event_log import list_events

STEPS_MAX = 20
"""Most rounds of one `let`: each takes several transactions."""


class MonitorWorld:
    """One database with a virtual clock; `sent` holds what channels accepted."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.clock = VirtualClock(AT)
        self.sent: list[tuple[str, DeliveryRecord]] = []
        self.errors: list[Exception] = []
        """The next tries raise these."""
        self._ids = itertools.count(1)
        self._runs = itertools.count(1)

    @contextmanager
    def monitor(
        self,
        *rules: AlertRule,
        name: str = "m1",
        send: Callable[..., None] | None = None,
        start_forecast: StartForecast | None = None,
        **settings: Any,
    ) -> Iterator[MonitorService]:
        """A monitor with these rules and the channel `ops`."""
        channels = settings.pop("channels", {"ops": channel()})
        service = MonitorService(
            settings=MonitorSettings(rules=rules, channels=channels, **settings),
            db=self.world.db,
            clock=self.clock,
            monitor_id=name,
            host="here",
            new_id=lambda: f"uid-{next(self._ids)}",
            send=send or self._send,
            start_forecast=start_forecast,
        )
        try:
            yield service
        finally:
            service.close()

    def _send(self, found: AlertChannel, delivery: DeliveryRecord) -> None:
        if self.errors:
            raise self.errors.pop(0)
        self.sent.append((found.name, delivery))

    def let(self, service: MonitorService, seconds: float) -> None:
        """Let time pass in steps of at least a second, with a round of the monitor in each, and wait for what it sends."""
        step = max(1.0, seconds / STEPS_MAX)
        for _ in range(round(seconds / step)):
            self.clock.advance(step)
            self.round(service)

    def round(self, service: MonitorService) -> None:
        """One round, and the end of every try that it began."""
        service.tick()
        wait([future for _, future in service._dispatch._running.values()])
        service.tick()

    def start(self, dag_id: str = "d", **fields: Any) -> RunRecord:
        """A running run of the DAG."""
        run = self.world.run(dag_id, f"run-{next(self._runs)}")
        now = self.clock.now()
        run = replace(run, state=DagRunState.RUNNING, started_at=now, queued_at=now, **fields)
        self.world.apply(Changes(runs=[run]))
        return run

    def fail(self, run: RunRecord, reason: str = "task a failed") -> RunRecord:
        """What an owner stores when the run fails and a rule asks."""
        now = self.clock.now()
        ended = replace(run, state=DagRunState.FAILED, ended_at=now, reason=reason)
        event = AlertEvent(
            AlertKind.FAILURE,
            now,
            run.dag_pk,
            run.run_pk,
            None,
            UNMAPPED,
            AlertFacts(reason=reason, clear_number=run.clear_number),
        )
        self.world.apply(Changes(runs=[ended], alert_events=[event]))
        return ended

    def succeed(self, run: RunRecord) -> None:
        """The run ends in state success."""
        self.world.apply(
            Changes(runs=[replace(run, state=DagRunState.SUCCESS, ended_at=self.clock.now(), reason=None)])
        )

    def sentences(self) -> list[str]:
        """The sentences of everything that was sent; resolved ones begin with +."""
        return [
            ("+" if item.is_resolved else "") + item.text for _, delivery in self.sent for item in delivery.body.items
        ]

    def audit(self, kind: str) -> list[EventRecord]:
        """The lines of the audit log of that kind, newest first."""
        with self.world.db.read() as tx:
            return [event for event in list_events(tx) if event.kind == kind]


def channel(name: str = "ops", **fields: Any) -> AlertChannel:
    """A channel whose address nobody reads: the test's own function sends."""
    return AlertChannel(name=name, type="webhook", place="gnomon.toml, line 1", url="http://127.0.0.1:1/", **fields)


def rule(*when: str, **fields: Any) -> AlertRule:
    """A rule with the channel `ops`."""
    return AlertRule(**{"name": "r", "when": when, "to": ("ops",), **fields})
