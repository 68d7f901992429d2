"""The groups that this process owns, and the heartbeat that keeps them: TAKE_OVER in docs/contributing/ownership.md."""

from __future__ import annotations

from collections.abc import Callable, Collection

from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.model.ids import GROUPS
from gnomon.model.instants import Instant, to_wait
from gnomon.services.scheduler.settings import BEAT_S, REBALANCE_S
from gnomon.storage.store import Database, FencedError, Transaction
from gnomon.storage.store.coordination import leases
from gnomon.storage.store.coordination.service_figures import FiguresWriter
from gnomon.storage.store.transaction import LEASE_TTL_S

SCHEMA_CHECK_S = 5.0
"""How often a heartbeat looks whether the schema is still the one that this version knows: a rolling upgrade changes it under running schedulers."""
_log = log.get_logger("scheduler.lease")


class Lease:
    """The ownership of one scheduler incarnation. A fenced or retired `scheduler_id` is never used again."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        scheduler_id: str,
        host: str,
        is_dead: Callable[[str], bool] = lambda _: False,
        beat_s: float = BEAT_S,
        figures: FiguresWriter | None = None,
    ) -> None:
        """`is_dead`: true if the process of a scheduler id is known to have ended. `beat_s`: seconds between heartbeats.

        `figures`: written with heartbeats.
        """
        self._db = db
        self._clock = clock
        self.scheduler_id = scheduler_id
        self._host = host
        self._is_dead = is_dead
        self._beat_s = beat_s
        self._figures = figures
        self._registered = False
        self._next_beat = 0.0
        self._next_schema_check = 0.0
        self.stored_beat_at: float | None = None
        """The monotonic second of the last heartbeat that the store has; other threads may read it."""
        self.epochs: dict[int, int] = {}
        self._share = GROUPS
        self._excess_since: float | None = None
        """The monotonic second since which this scheduler owns more groups than its share."""

    def renew_and_claim(self) -> dict[int, int]:
        """Sends a heartbeat if it is due, fences silent schedulers and claims groups without an owner, up to its share.

        Returns the newly owned groups with their epochs. Raises FencedError if another scheduler has fenced this one, and SchemaTooNew
        or SchemaTooOld when the schema has become another one than this version knows.
        """
        if not self._registered:
            self._register()
        elif not self._is_due():
            return {}
        with self._db.write() as tx:
            if self._clock.monotonic() >= self._next_schema_check:
                self._db.check_schema(tx)
                self._next_schema_check = self._clock.monotonic() + SCHEMA_CHECK_S
            before = leases.lock_silent_schedulers(tx, self.scheduler_id, LEASE_TTL_S)
            self._beat(tx)
            for dead in leases.fence_silent_schedulers(tx, self.scheduler_id, LEASE_TTL_S, before):
                _log.warning("scheduler_fenced", scheduler=dead)
            self._share = leases.find_share(tx, self.scheduler_id)
            owned = leases.claim_share(tx, self.scheduler_id, self._share)
        self._record_beat()
        gained = {group: epoch for group, epoch in owned.items() if self.epochs.get(group) != epoch}
        self.epochs.update(gained)
        return gained

    def renew(self) -> None:
        """Sends a heartbeat if it is due, and claims no groups: for calls in the middle of long work.

        Raises FencedError if another scheduler has fenced this one.
        """
        if self._is_due():
            with self._db.write() as tx:
                self._beat(tx)
            self._record_beat()

    def count_excess(self) -> int:
        """How many groups this scheduler is to give up now: it has owned more than its share for REBALANCE_S seconds."""
        now = self._clock.monotonic()
        if len(self.epochs) <= self._share:
            self._excess_since = None
        elif self._excess_since is None:
            self._excess_since = now
        elif now - self._excess_since >= REBALANCE_S:
            return len(self.epochs) - self._share
        return 0

    def give_up(self, groups: Collection[int]) -> None:
        """Gives groups up, so that another scheduler takes them. They are not used any more even if the commit fails.

        Groups whose commit failed are gained again with a later heartbeat. Raises FencedError if another scheduler has fenced this one.
        """
        self._excess_since = None
        for group in groups:
            del self.epochs[group]
        with self._db.scheduler_write(self.scheduler_id) as tx:
            leases.give_up_groups(tx, self.scheduler_id, groups)
        _log.info("groups_given_up", groups=len(groups), kept=len(self.epochs), share=self._share)

    def _record_beat(self) -> None:
        self.stored_beat_at = self._clock.monotonic()
        self._next_beat = self.stored_beat_at + self._beat_s

    def _is_due(self) -> bool:
        return self._clock.monotonic() >= self._next_beat

    def _beat(self, tx: Transaction) -> None:
        if not leases.beat_scheduler(tx, self.scheduler_id):
            raise FencedError(self.scheduler_id)
        if self._figures is not None:
            self._figures.write_if_due(tx)

    def _register(self) -> None:
        """Registers this scheduler, and retires dead predecessors of this host so that their groups are free at once."""
        with self._db.read() as tx:
            dead = [
                row.scheduler_id
                for row in leases.list_schedulers(tx)
                if not row.fenced and row.host == self._host and self._is_dead(row.scheduler_id)
            ]
        with self._db.write() as tx:
            for scheduler_id in sorted(dead):
                leases.retire_scheduler(tx, scheduler_id)
            leases.register_scheduler(tx, self.scheduler_id, self._host)
        for scheduler_id in dead:
            _log.info("scheduler_succeeded", dead=scheduler_id)
        self._registered = True

    @property
    def next_beat_at(self) -> Instant:
        """When the next heartbeat is due. Measured with the monotonic clock: a step of the wall clock does not move it."""
        return self._clock.now() + to_wait(self._next_beat - self._clock.monotonic())

    def release_all(self) -> None:
        """Gives up all groups at once, so that the next scheduler does not wait for the lease to expire."""
        if self._registered:
            with self._db.write() as tx:
                leases.retire_scheduler(tx, self.scheduler_id)
                if self._figures is not None:
                    self._figures.remove(tx)
            self._registered = False
            self.epochs = {}
