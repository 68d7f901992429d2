"""The keeper: what it claims from the store, what its hosts run, and what it stores of it (OWNERSHIP.md line 21).

An event counts once it is stored. A keeper that was fenced stores nothing more; whoever has its triggers then runs them anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import msgspec

from gnomon import log
from gnomon.clock import Clock
from gnomon.errors import WorldAway
from gnomon.metrics import Meter
from gnomon.model.deferral import Fired
from gnomon.model.instants import SECOND, Instant
from gnomon.model.logs import trigger_log
from gnomon.model.questions import AnyQuestion
from gnomon.model.records import EventRecord
from gnomon.store import CommitUncertain, Database, Fenced, WrongKey, events, triggerers, triggers, wake
from gnomon.taskapi import Refused, answer_trigger
from gnomon.triggerer.crew import Crew
from gnomon.triggerer.figures import Figures
from gnomon.triggerer.messages import Told
from gnomon.triggerer.settings import ANSWER_BATCH, AWAY_S, CLAIM_BATCH, NOTE_S, SEND_BATCH, SWEEP_S, Settings
from gnomon.wire.messages import Answer

_log = log.get("triggerer")


class Keeper:
    """One incarnation of a triggerer. `tick` is one round; everything from outside is an argument."""

    def __init__(
        self, *, settings: Settings, db: Database, clock: Clock, crew: Crew, triggerer_id: str, host: str,
        wake_owners: Callable[[], object], meter: Meter | None = None,
    ) -> None:
        """`wake_owners`: schedulers of this host look at their mail. `meter`: of the process, which may have had others before."""
        self._settings = settings
        self._db = db
        self._clock = clock
        self._crew = crew
        self.triggerer_id = triggerer_id
        self._host = host
        self._wake_owners = wake_owners
        self._figures = Figures(meter or Meter(), host, settings.capacity)
        self._registered = False
        self._beat_at = 0.0
        self._sweep_at = 0.0
        self._watch_at = 0.0
        self._away_until = 0.0
        self._woken = True
        self._more = False
        self._is_full = False
        """There was no room, or none is left, for what nobody runs."""
        self._unsent: list[triggers.Sent] = []
        self._closed: list[int] = []
        """Triggers that have heard `on_kill`, and whose notes are still there."""
        self._noted_at: dict[tuple[str, str], float] = {}
        self.sent = 0
        """Events stored since the start."""

    def wake(self) -> None:
        """There may be something new in the store."""
        self._woken = True

    def tick(self) -> Instant:
        """One bounded round; returns when to call again at the latest. Raises Fenced when this incarnation is over."""
        self._hear()
        if self._clock.monotonic() < self._away_until:
            return self._wake_at()
        try:
            self._beat()
            self._take_over()
            self._send()
            self._answer()
            self._close()
            self._note_faults()
            if self._woken or self._more or self._clock.monotonic() >= self._sweep_at:
                self._look()
        except Fenced:
            raise
        except (WorldAway, WrongKey) as error:
            self._away_until = self._clock.monotonic() + AWAY_S
            self._woken = True
            _log.warning("store_away", error=str(error), again_after_s=AWAY_S)
        return self._wake_at()

    def retire(self) -> None:
        """What has happened is stored, and the triggers are anybody's at once."""
        self._hear()
        while self._unsent or self._closed:
            self._send()
            self._close()
        if self._registered:
            with self._db.write() as tx:
                triggerers.retire(tx, self.triggerer_id)
                wake(tx)
            self._registered = False

    # ---- one round --------------------------------------------------------------------------------------------------
    def _wake_at(self) -> Instant:
        now = self._clock.monotonic()
        times = [*(max(at, self._away_until) for at in (self._beat_at, self._sweep_at, self._watch_at)), now + self._crew.wake_in_s]
        if (self._unsent or self._closed or self._more or self._woken or self._crew.asked) and now >= self._away_until:
            times.append(now)
        return self._clock.now() + int((min(times) - now) * SECOND)

    def _hear(self) -> None:
        """What hosts told since the last round waits to be stored."""
        for job, fired in self._crew.turn():
            assert isinstance(job, triggers.Claimed)
            self._unsent.append(triggers.Sent(job.trigger_pk, job.key, job.defer_seq, job.group_no, fired))
        self._closed += self._crew.take_closed()

    def _beat(self) -> None:
        if self._registered and self._clock.monotonic() < self._beat_at:
            return
        settings = self._settings
        with self._db.write() as tx:
            if not self._registered:
                triggerers.register(tx, self.triggerer_id, self._host, settings.capacity, settings.queues)
            elif not triggerers.beat(tx, self.triggerer_id, self._figures.counted):
                raise Fenced(f"triggerer {self.triggerer_id} was declared dead: it stops, and a new one starts in its place")
        self._registered = True
        self._beat_at = self._clock.monotonic() + settings.beat_s
        self._figures.beat(len(self._crew))

    def _take_over(self) -> None:
        """Triggerers that have been silent for too long are fenced, within SWEEP_S of the instant at which they may be."""
        if self._clock.monotonic() < self._watch_at:
            return
        self._watch_at = self._clock.monotonic() + SWEEP_S
        with self._db.glance() as tx:
            is_silent = triggerers.is_silent(tx, self.triggerer_id, self._settings.beat_s)
        if not is_silent:
            return
        with self._db.keeper(self.triggerer_id) as tx:
            fenced = triggerers.fence_dead(tx, self.triggerer_id, self._settings.beat_s)
        for dead in fenced:
            _log.warning("triggerer_fenced", triggerer=dead)
            self._woken = True

    def _send(self) -> None:
        """A batch of events is stored: only then they have happened. Sent twice, they count once."""
        if not self._unsent:
            return
        batch = self._unsent[:SEND_BATCH]
        with self._db.keeper(self.triggerer_id) as tx:
            triggers.send_events(tx, self.triggerer_id, batch)
            wake(tx)
        del self._unsent[: len(batch)]
        self.sent += len(batch)
        self._figures.stored(one.fired.outcome for one in batch)
        self._woken = self._woken or self._is_full  # there is room again
        self._wake_owners()

    def _close(self) -> None:
        """Who takes over from here on need not call `on_kill` of these again."""
        batch = self._closed[:SEND_BATCH]
        if not batch:
            return
        with self._db.keeper(self.triggerer_id) as tx:
            triggers.closed(tx, self.triggerer_id, batch)
        del self._closed[: len(batch)]

    def _answer(self) -> None:
        """A batch of what triggers asked is answered, equal questions once; what the store could not answer is asked again."""
        known: dict[bytes, tuple[object, str | None]] = {}
        for host, ask in list(islice(self._crew.asked, ANSWER_BATCH)):
            key = msgspec.msgpack.encode(ask.question)
            if key not in known:
                known[key] = self._answered(ask.question)
            value, error = known[key]
            self._crew.asked.popleft()
            host.put(Answer(number=ask.number, value=value, error=error))
            host.flush()

    def _answered(self, question: AnyQuestion) -> tuple[object, str | None]:
        try:
            return answer_trigger(self._db, question), None
        except WorldAway:
            raise
        except Refused as error:
            return None, str(error)
        except Exception as error:  # the edge: a question must not end the triggerer
            _log.exception("answer_failed", question=type(question).__name__)
            return None, str(error)

    def _note_faults(self) -> None:
        """Who held up the loop of all triggers, or ignored its end, stands in the audit log of its run: a class once in NOTE_S."""
        named = self._crew.take_named()
        self._figures.blocked(self._crew.blocks, (job.classpath for job, _ in named))
        found = [("trigger_blocked", job, f"held up the loop of all triggers:\n{told.stack}") for job, told in named]
        found += [
            ("trigger_lingers", job, f"was told to end and has not for {seconds:.0f} s; `gnomon triggerer reload` ends it")
            for job, seconds in self._crew.take_lingering()
        ]
        now = self._clock.monotonic()
        fresh = [one for one in found if now - self._noted_at.get((one[0], one[1].classpath), -NOTE_S) >= NOTE_S]
        if not fresh:
            return
        with self._db.keeper(self.triggerer_id) as tx:
            for kind, job, body in fresh:
                assert isinstance(job, triggers.Claimed)
                self._noted_at[kind, job.classpath] = now
                events.log(tx, EventRecord(
                    self._clock.now(), kind, job.dag_pk, job.key.run_pk, job.key.task_no, job.key.map_index,
                    by="triggerer", body=f"{job.classpath} {body}",
                ))

    def _look(self) -> None:
        """Ended and suspended triggers end here; what nobody runs is claimed, as far as there is room."""
        me = self.triggerer_id
        room = min(CLAIM_BATCH, self._settings.capacity - len(self._crew) - len(self._unsent))
        self._woken = False
        with self._db.glance() as tx:
            news = triggers.news(tx, me)
        suspended, ended, claimed = self._taken(news, room) if news.is_any else ([], triggers.Ended(), [])
        self._sweep_at = self._clock.monotonic() + SWEEP_S
        self._more = len(claimed) == room > 0
        self._is_full = len(claimed) >= room
        self._crew.cancel([*ended.gone, *suspended], on_kill=False)
        self._crew.cancel(ended.killed, on_kill=True)
        self._crew.kill_anew((one, _told(one)) for one in self._readable(ended.adopted))
        self._crew.start((one, _told(one)) for one in self._readable(claimed))
        if claimed:
            _log.debug("triggers_claimed", triggers=len(claimed))

    def _taken(self, news: triggers.News, room: int) -> tuple[list[int], triggers.Ended, list[triggers.Claimed]]:
        """What is suspended, what has ended, and what is mine from here on."""
        me, queues = self.triggerer_id, self._settings.queues
        try:
            with self._db.keeper(me) as tx:
                # What has an event that is not stored yet stays mine: nobody begins it anew when the DAG goes on.
                suspended = triggers.suspended(tx, me) if news.has_paused and not self._unsent else []
                ended = triggers.ended(tx, me, queues) if news.has_ended else triggers.Ended()
                claimed = triggers.claim(tx, me, room, queues) if news.has_unclaimed else []
        except CommitUncertain as error:
            raise Fenced(f"nobody knows what triggerer {me} has claimed ({error}); a new one starts in its place") from error
        return suspended, ended, claimed

    def _readable(self, found: Sequence[triggers.Claimed]) -> Iterator[triggers.Claimed]:
        """Those that can be run; each of the others fails its own task, or hears nothing."""
        for one in found:
            if one.fault is None:
                yield one
                continue
            _log.error("trigger_unreadable", trigger=one.classpath, task=_told(one).named(), error=one.fault)
            if one.defer_seq:
                fired = Fired(outcome="error", reason=f"its arguments cannot be read: {one.fault}")
                self._unsent.append(triggers.Sent(one.trigger_pk, one.key, one.defer_seq, one.group_no, fired))
            else:
                self._closed.append(one.trigger_pk)


def _told(one: triggers.Claimed) -> Told:
    named = bool(one.task_id)  # not so when the DAG was deleted meanwhile
    return Told(
        dag_id=one.dag_id, run_id=one.run_id, task_id=one.task_id, map_index=one.key.map_index, try_number=one.try_number,
        log=trigger_log(one.dag_id, one.run_id, one.task_id, one.key.map_index, one.seq) if named else None,
    )
