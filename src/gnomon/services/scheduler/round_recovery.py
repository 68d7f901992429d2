"""The rest of a round whose step failed: what fails alone is replaced, refused, quarantined or set aside, and everything else is committed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from gnomon.ground import log
from gnomon.model.errors.product import EngineStepError, InternalError
from gnomon.model.instants import Instant
from gnomon.model.quarantine import QuarantinedItem
from gnomon.rules.engine import events as e
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.services.scheduler.mailbox import Mailbox, RoundItem
from gnomon.services.scheduler.poison_isolation import PoisonIsolation
from gnomon.services.scheduler.step_failures import find_failing_dags, is_isolable
from gnomon.services.scheduler.withheld_dags import WithheldDags
from gnomon.storage.store import Database

_log = log.get_logger("scheduler")

RELOADS_MAX = 200
"""Most loads in a row after each of which a DAG is set aside; and most steps that fire what is due after a load."""


class RecoverableScheduler(Protocol):
    """What the recovery of a round asks of the scheduler, which owns the engine state."""

    def load_again(self) -> None:
        """Drops the engine state and loads the owned groups from the store."""

    def apply(
        self, events: list[e.EngineEvent], messages: list[int], quarantined: list[QuarantinedItem], now: Instant
    ) -> None:
        """One step and its commit, which also deletes these messages and stores these rows of the table `quarantine`."""

    def is_due(self, now: Instant) -> bool:
        """Whether a timer of the engine is due."""

    def collect_items(self) -> list[RoundItem]:
        """The messages and events that wait, not translated yet."""

    def list_stages(self) -> Sequence[Callable[[Instant], None]]:
        """What a round does after it has applied what has arrived, each with commits of its own."""


class RoundRecovery:
    """Finishes a round whose step failed."""

    def __init__(
        self,
        scheduler: RecoverableScheduler,
        db: Database,
        engine_state: EngineState,
        mailbox: Mailbox,
        withheld: WithheldDags,
        acknowledge: Callable[[str, list[str]], object],
    ) -> None:
        """`acknowledge`: lets a worker forget results."""
        self._scheduler = scheduler
        self._db = db
        self._engine_state = engine_state
        self._mailbox = mailbox
        self._withheld = withheld
        self._isolation = PoisonIsolation(
            db,
            engine_state,
            mailbox,
            apply=scheduler.apply,
            reload=self._reload,
            set_aside=withheld.set_aside,
            acknowledge=acknowledge,
        )

    def finish_round(self, error: Exception, now: Instant) -> None:
        """Does everything that the round has not done. Raises a failure that belongs to no message and to no DAG."""
        _log.exception(
            "step_failed",
            error=str(error),
            kind=type(error).__name__,
            dag_id=error.dag_id if isinstance(error, EngineStepError) else None,
        )
        self._reload(now)
        items, withheld = self._withheld.filter_items(self._scheduler.collect_items(), now)
        self._isolation.apply_items([*withheld, *items], now)
        self._mailbox.confirm_applied()
        for stage in self._scheduler.list_stages():
            try:
                stage(now)
            except Exception as failure:
                self._set_aside(failure)
                self._reload(now)  # the next round finds again what was lost

    def _reload(self, now: Instant) -> None:
        """Loads the groups again and brings them up to date without any event. A DAG by which that fails is set aside."""
        for _ in range(RELOADS_MAX):
            self._scheduler.load_again()
            try:
                self._scheduler.apply([], [], [], now)
                for _ in range(RELOADS_MAX):
                    if not self._scheduler.is_due(now):
                        return
                    self._scheduler.apply([], [], [], now)
                return
            except Exception as failure:
                self._set_aside(failure)
        raise InternalError(
            f"after {RELOADS_MAX} loads there are still DAGs by which the first step of this scheduler fails"
        )

    def _set_aside(self, failure: Exception) -> None:
        """Sets the DAGs aside by which something failed. Raises the failure if it is an outage, or belongs to no DAG."""
        if not is_isolable(failure, self._db) or not self._withheld.set_aside(
            find_failing_dags(failure, self._engine_state), failure
        ):
            raise failure
