"""The hosts of one keeper: which trigger is where, what becomes of it when its host ends, and who is to blame.

One host is the rule. A host that ends without a word is replaced and its triggers begin anew; when that happens again soon,
they are parted into two hosts, and so on, until the one that ends its process is alone and is blamed. The others go on.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from gnomon import log
from gnomon.clock import Clock
from gnomon.model.deferral import Fired
from gnomon.triggerer.messages import Blocked, Cancel, Ends, FromHost, Gone, Ping, Pong, Start, Stop, Told
from gnomon.triggerer.process import REAP_S, start_host
from gnomon.wire.hostprocess import HostProcess
from gnomon.wire.messages import Ask

START_S = 60.0
"""What a new host may take before it answers first."""
SUSPECT_S = 60.0
"""A host that ends so soon after its start may have been ended by one of its triggers."""
PART_AFTER = 2
"""Unexplained ends in a row after which triggers are parted."""
HOSTS_MAX = 20
"""Enough to find one among 50,000 by halves."""
IDLE_S = 60.0
"""A host without a trigger ends after so long."""
NAMED_MAX = 100
"""Reports of blocks that are kept until somebody asks."""
REFUSED_PAUSE_S = 1.0
"""Before a machine that refused to start a process is asked again."""
KILLS_MAX = 2
"""So often `on_kill` of a trigger is begun; hosts that end in it are ended by it."""
LINGER_S = 90.0
"""What was told to end is gone by then, or is named and no longer reckoned with."""
_log = log.get("triggerer")


class Job(Protocol):
    """A trigger to be run."""

    @property
    def trigger_pk(self) -> int: ...
    @property
    def classpath(self) -> str: ...
    @property
    def kwargs(self) -> str: ...


@dataclass(slots=True)
class _Host:
    process: HostProcess[FromHost]
    born_at: float
    heard_at: float
    suspicion: int = 0
    """Hosts before this one that ended with these triggers, without a word and soon."""
    numbers: set[int] = field(default_factory=set)
    blocked: Blocked | None = None
    ready: bool = False
    retired: bool = False
    """It gets no new triggers, and ends."""
    outdated: bool = False
    """A reload has asked for its end; it is retired as soon as another host can run its triggers."""
    pinged_at: float = 0.0
    idle_since: float = 0.0


@dataclass(slots=True)
class _Going:
    """A start that has ended or was told to; its cleanup may still run."""

    job: Job
    told: Told
    since: float
    on_kill: bool = False
    """Somebody wants to know when it is gone."""
    begun: int = 1


class Crew:
    """Runs jobs in host processes. Nothing here waits; `turn` is one bounded round."""

    def __init__(self, environ: Mapping[str, str], clock: Clock, *, silent_s: float, ping_s: float, linger_s: float = LINGER_S) -> None:
        self._environ = environ
        self._clock = clock
        self._silent_s = silent_s
        self._ping_s = ping_s
        self._linger_s = linger_s
        self._numbers = itertools.count(1)
        self._hosts: list[_Host] = []
        self._jobs: dict[int, tuple[Job, Told]] = {}
        """By number; a job that moves has two for a moment."""
        self._current: dict[int, int] = {}
        """Trigger to the number of its newest start."""
        self._homeless: list[tuple[Job, Told]] = []
        self._ended: list[tuple[Job, Fired]] = []
        self._going: dict[int, _Going] = {}
        """By number, the longest first."""
        self._unheard: list[_Going] = []
        """They are to hear `on_kill` in a host that knows nothing of them."""
        self._closed: list[int] = []
        self._lingering: list[tuple[Job, float]] = []
        self._named: list[tuple[Job, Blocked]] = []
        self._leaving: list[HostProcess[FromHost]] = []
        self._retry_at = 0.0
        self.asked: deque[tuple[HostProcess[FromHost], Ask]] = deque()
        """What triggers asked and nobody has answered yet, and to whom the answer goes."""
        self.blocks = 0
        """How often a trigger held up a loop, since the start."""
        self.deaths = 0
        """Hosts that ended by themselves, or had to be killed."""

    def __len__(self) -> int:
        return len(self._current) + len(self._homeless)

    def filenos(self) -> list[int]:
        """What becomes readable when a host says something."""
        return [host.process.fileno() for host in self._hosts if not host.process.link.ended]

    def unsent(self) -> list[int]:
        """What becomes writable when a host takes more of what it was told: then `turn` goes on with it."""
        return [host.process.fileno() for host in self._hosts if not host.process.flush()]

    @property
    def blocked(self) -> list[Blocked]:
        """Who holds up a loop now."""
        return [host.blocked for host in self._hosts if host.blocked is not None]

    def take_named(self) -> list[tuple[Job, Blocked]]:
        """Who held up a loop since this was asked last."""
        named, self._named = self._named, []
        return named

    def take_closed(self) -> list[int]:
        """Of those that had to hear `on_kill`, who is gone since this was asked last."""
        closed, self._closed = self._closed, []
        return closed

    def take_lingering(self) -> list[tuple[Job, float]]:
        """Who has not ended since this was asked last, and how long after it was told to, in seconds."""
        lingering, self._lingering = self._lingering, []
        return lingering

    # ---- orders -----------------------------------------------------------------------------------------------------
    def start(self, jobs: Iterable[tuple[Job, Told]]) -> None:
        """They run as soon as there is a host."""
        self._homeless.extend(jobs)
        self._house()

    def cancel(self, trigger_pks: Iterable[int], *, on_kill: bool) -> None:
        """They are ended; no event of them is heard any more. Those that hear `on_kill` are `take_closed` when they are gone."""
        wanted = set(trigger_pks)
        if not wanted:
            return
        waiting = [one for one in self._homeless if one[0].trigger_pk in wanted]
        self._homeless = [one for one in self._homeless if one[0].trigger_pk not in wanted]
        numbers = {pk: self._current.pop(pk) for pk in wanted if pk in self._current}
        for number in numbers.values():
            self._goes(number, *self._jobs.pop(number), on_kill)
        self._say_cancel(set(numbers.values()), on_kill)
        if on_kill:
            self.kill_anew(waiting)
            self._closed += sorted(wanted - numbers.keys() - {job.trigger_pk for job, _ in waiting})

    def kill_anew(self, jobs: Iterable[tuple[Job, Told]]) -> None:
        """Of these, which run nowhere, `on_kill` and `cleanup` are called."""
        self._unheard += [_Going(job, told, 0.0, on_kill=True, begun=0) for job, told in jobs]
        self._house()

    def reload(self) -> None:
        """All triggers begin anew in a host that has imported nothing; until they do, the old host's events count.

        A host whose triggers get no new host for now keeps them, and is replaced in a later `turn`.
        """
        for host in self._hosts:
            host.outdated = True
        self._replace_outdated()

    def stop(self, within_s: float) -> None:
        """Every host cleans up and ends."""
        for host in self._hosts:
            host.retired = True
            host.process.put(Stop(within_s=within_s))
            host.process.flush()
        self._homeless, self._unheard = [], []

    def is_over(self) -> bool:
        """Whether no host is left."""
        return not self._hosts

    def kill(self) -> None:
        """No host is left, and no trigger was cleaned up."""
        for host in self._hosts:
            host.process.kill()
            self._leaving.append(host.process)
        self._hosts = []
        self._jobs, self._current, self._homeless, self._ended = {}, {}, [], []
        self._going, self._unheard, self._closed = {}, [], []
        self._reap()

    # ---- one round --------------------------------------------------------------------------------------------------
    def turn(self) -> list[tuple[Job, Fired]]:
        """What has ended since the last round."""
        now = self._clock.monotonic()
        for host in list(self._hosts):
            self._listen(host, now)
            if host.process.link.ended:
                self._bury(host, now)
            else:
                self._look_after(host, now)
        self._name_lingering(now)
        self._replace_outdated()
        self._house()
        for host in self._hosts:
            host.process.flush()
        self._reap()
        ended, self._ended = self._ended, []
        return ended

    @property
    def wake_in_s(self) -> float:
        """When to call `turn` again at the latest."""
        return self._ping_s if self._hosts or self._homeless or self._unheard else 60.0

    def _listen(self, host: _Host, now: float) -> None:
        for message in host.process.link.receive():
            self._hear(host, message, now)

    def _hear(self, host: _Host, message: FromHost, now: float) -> None:
        match message:
            case Ends(ends=ends):
                for end in ends:
                    self._end(end.number, end.fired)
            case Gone(numbers=numbers):
                host.numbers.difference_update(numbers)
                for number in numbers:
                    self._forget_older(number)
                    going = self._going.pop(number, None)
                    if going is not None and going.on_kill:
                        self._closed.append(going.job.trigger_pk)
            case Pong():
                host.heard_at, host.ready = now, True
            case Ask():
                self.asked.append((host.process, message))
            case Blocked(over=over):
                self._name(host, message)
                host.blocked = None if over else message

    def _forget_older(self, number: int) -> None:
        """A start that has moved to another host, and is gone from its old one without an event."""
        found = self._jobs.get(number)
        if found is not None and self._current.get(found[0].trigger_pk) != number:
            del self._jobs[number]

    def _name(self, host: _Host, report: Blocked) -> None:
        """Each block is counted, and its culprit named, once."""
        if host.blocked is not None or report.over:
            return
        self.blocks += 1
        found = None if report.number is None else self._jobs.get(report.number)
        if found is not None:
            self._named = [*self._named[-(NAMED_MAX - 1) :], (found[0], report)]

    def _end(self, number: int, fired: Fired) -> None:
        """The first end of a trigger counts; another start of it is no longer needed."""
        found = self._jobs.pop(number, None)
        if found is None:
            return
        current = self._current.pop(found[0].trigger_pk, None)
        if current is None:
            return
        self._ended.append((found[0], fired))
        self._goes(number, *found)
        if current != number:
            self._goes(current, *self._jobs.pop(current))
            self._say_cancel({current}, on_kill=False)

    def _goes(self, number: int, job: Job, told: Told, on_kill: bool = False) -> None:
        self._going[number] = _Going(job, told, self._clock.monotonic(), on_kill)

    def _name_lingering(self, now: float) -> None:
        """Who ignores its end takes no place, keeps no note, and holds no idle host; what it does is its host's until that ends."""
        while self._going:
            number, going = next(iter(self._going.items()))
            if now - going.since <= self._linger_s:
                return
            del self._going[number]
            for host in self._hosts:
                host.numbers.discard(number)
            _log.error(
                "trigger_lingers", trigger=going.job.classpath, task=going.told.named(), seconds=round(now - going.since),
                remedy="it ignores that it is cancelled; `gnomon triggerer reload` ends it",
            )
            self._lingering = [*self._lingering[-(NAMED_MAX - 1) :], (going.job, now - going.since)]
            if going.on_kill:
                self._closed.append(going.job.trigger_pk)

    def _say_cancel(self, numbers: set[int], on_kill: bool) -> None:
        for host in self._hosts:
            here = host.numbers & numbers
            if here:
                host.process.put(Cancel(numbers=sorted(here), on_kill=on_kill))

    # ---- hosts ------------------------------------------------------------------------------------------------------
    def _look_after(self, host: _Host, now: float) -> None:
        patience = self._silent_s if host.ready else max(START_S, self._silent_s)
        if now - max(host.heard_at, host.born_at) > patience + self._ping_s:
            host.process.kill()
            self._bury(host, now, silent=True)
        elif now - host.pinged_at >= self._ping_s:
            host.pinged_at = now
            host.process.put(Ping(number=0))
        if host.numbers:
            host.idle_since = now
        elif not host.retired and now - max(host.idle_since, host.born_at) > IDLE_S:
            host.retired = True
            host.process.put(Stop(within_s=self._ping_s))

    def _bury(self, host: _Host, now: float, silent: bool = False) -> None:
        """It has ended, or was killed: what ran in it begins anew, but for who is to blame."""
        if not silent:
            host.process.wait(REAP_S)
        host.process.kill()
        self._hosts.remove(host)
        self._leaving.append(host.process)
        if not host.retired:
            self.deaths += 1
        culprit = host.blocked.number if host.blocked is not None and silent else None
        if culprit is not None and host.blocked is not None:
            _log.error("host_killed", trigger=host.blocked.classpath, task=host.blocked.task, stack=host.blocked.stack)
            reason = f"it blocked the loop of all triggers for {self._silent_s:g} s, and was ended with its process; let it await"
            self._end(culprit, Fired(outcome="error", reason=reason, traceback=host.blocked.stack))
        jobs = self._alive_in(host)
        for number in sorted(host.numbers):
            self._jobs.pop(number, None)
            going = self._going.pop(number, None)
            if going is not None and going.on_kill:
                self._kill_again(going)
        if host.retired and not jobs:
            return
        code = host.process.exit_code if host.process.is_reaped() else None
        _log.error("host_ended", pid=host.process.pid, exit_code=code, silent=silent, triggers=len(jobs), next="they begin anew")
        if culprit is not None:
            self._settle(jobs, host.suspicion)
        else:
            soon = now - host.born_at < SUSPECT_S
            self._settle_suspects(jobs, host.suspicion + 1 if soon else 1, code)

    def _kill_again(self, going: _Going) -> None:
        if going.begun < KILLS_MAX:
            self._unheard.append(going)
            return
        _log.error("on_kill_given_up", trigger=going.job.classpath, task=going.told.named(), hosts_ended=going.begun)
        self._closed.append(going.job.trigger_pk)

    def _settle_suspects(self, jobs: list[tuple[Job, Told]], suspicion: int, code: int | None) -> None:
        if suspicion <= PART_AFTER or not jobs:
            self._settle(jobs, suspicion)
        elif len(jobs) == 1:
            job, told = jobs[0]
            _log.error("trigger_ends_its_host", trigger=job.classpath, task=told.named(), exit_code=code)
            reason = f"its process ended {suspicion} times, the last time with it alone in it (exit code {code})"
            self._current.pop(job.trigger_pk, None)
            self._ended.append((job, Fired(outcome="error", reason=reason)))
        else:
            middle = len(jobs) // 2
            self._settle(jobs[:middle], suspicion)
            self._settle(jobs[middle:], suspicion)

    def _alive_in(self, host: _Host) -> list[tuple[Job, Told]]:
        """Its triggers that have not ended and run nowhere newer."""
        found = [(number, self._jobs.get(number)) for number in sorted(host.numbers)]
        return [one for number, one in found if one is not None and self._current.get(one[0].trigger_pk) == number]

    def _replace_outdated(self) -> None:
        for host in [one for one in self._hosts if one.outdated and not one.retired]:
            moved = self._alive_in(host)
            new = self._new_host(host.suspicion, at_most=HOSTS_MAX + 1) if moved else None
            if moved and new is None:
                return
            host.retired = True
            host.process.put(Stop(within_s=self._silent_s))
            if new is not None:
                self._give(new, moved)

    def _house(self) -> None:
        """Those without a host get one."""
        if not self._homeless and not self._unheard:
            return
        host = min((one for one in self._hosts if not one.retired), key=lambda one: one.suspicion, default=None)
        if host is None or host.suspicion >= PART_AFTER:
            host = self._new_host(0)
        if host is not None:
            jobs, self._homeless = self._homeless, []
            self._give(host, jobs)
            self._give_killed(host)

    def _settle(self, jobs: list[tuple[Job, Told]], suspicion: int) -> None:
        """They begin in a new host, or wait for one."""
        if not jobs:
            return
        host = self._new_host(suspicion)
        if host is not None:
            self._give(host, jobs)
            return
        for job, _ in jobs:
            self._current.pop(job.trigger_pk, None)
        self._homeless.extend(jobs)

    def _new_host(self, suspicion: int, at_most: int = HOSTS_MAX) -> _Host | None:
        """None: the machine refuses for now, or so many hosts run already."""
        now = self._clock.monotonic()
        try:
            if now < self._retry_at or len(self._hosts) >= at_most:
                raise OSError(f"{len(self._hosts)} hosts run already")
            process = start_host(self._environ)
        except OSError as error:
            if now >= self._retry_at:
                self._retry_at = now + REFUSED_PAUSE_S
                _log.error("host_refused", error=str(error), again_after_s=REFUSED_PAUSE_S)
            return None
        host = _Host(process, now, now, suspicion, idle_since=now)
        self._hosts.append(host)
        return host

    def _give(self, host: _Host, jobs: list[tuple[Job, Told]]) -> None:
        for job, told in jobs:
            number = next(self._numbers)
            self._jobs[number] = (job, told)
            self._current[job.trigger_pk] = number
            host.numbers.add(number)
            host.process.put(Start(
                number=number, classpath=job.classpath, kwargs=job.kwargs, told=told, trigger_id=job.trigger_pk
            ))
        host.process.flush()

    def _give_killed(self, host: _Host) -> None:
        unheard, self._unheard = self._unheard, []
        now = self._clock.monotonic()
        for one in unheard:
            number, job = next(self._numbers), one.job
            self._going[number] = _Going(job, one.told, now, on_kill=True, begun=one.begun + 1)
            host.numbers.add(number)
            host.process.put(Start(
                number=number, classpath=job.classpath, kwargs=job.kwargs, told=one.told, trigger_id=job.trigger_pk, killed=True
            ))
        host.process.flush()

    def _reap(self) -> None:
        self._leaving = [process for process in self._leaving if not process.is_reaped()]
