"""The hosts of one keeper: which trigger is where, what becomes of it when its host ends, and who is to blame.

One host is the rule. A host that ends without a word is replaced and its triggers begin anew; when that happens again soon,
they are parted into two hosts, and so on, until the one that ends its process is alone and is blamed. The others go on.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterable, Mapping

from gnomon import log
from gnomon.clock import Clock
from gnomon.model.deferral import DeferralResult
from gnomon.processes.host_process import HostProcess
from gnomon.processes.spawn_backoff import REFUSAL_REMEDY, SpawnBackoff, describe_refusal
from gnomon.processes.task_api_messages import TaskApiRequestMessage
from gnomon.triggerer.host_handle import REAP_S, CancellingTrigger, HostHandle, TriggerJob, start_host
from gnomon.triggerer.host_protocol import (
    CancelTriggers,
    FromTriggerHost,
    LoopBlocked,
    Ping,
    Pong,
    StartTrigger,
    StopHost,
    TriggersEnded,
    TriggersFinished,
    TriggerTaskInstance,
)

START_S = 60.0
"""What a new host may take before it answers first."""
SUSPECT_AFTER_START_S = 60.0
"""A host that ends so soon after its start may have been ended by one of its triggers."""
SPLIT_AFTER = 2
"""Unexplained ends in a row after which triggers are parted."""
HOSTS_MAX = 20
"""Enough to find one among 50,000 by halves."""
IDLE_S = 60.0
"""A host without a trigger ends after so long."""
REPORTS_MAX = 100
"""Reports of blocks that are kept until somebody asks."""
ON_KILL_TRIES_MAX = 2
"""So often `on_kill` of a trigger is begun; hosts that end in it are ended by it."""
UNRESPONSIVE_S = 90.0
"""What was told to end is gone by then, or is named and no longer reckoned with."""
_log = log.get_logger("triggerer")


class HostPool:
    """Runs jobs in host processes. Nothing here waits; `turn` is one bounded round."""

    def __init__(self, environ: Mapping[str, str], clock: Clock, *, silent_s: float, ping_s: float, linger_s: float = UNRESPONSIVE_S) -> None:
        self._environ = environ
        self._clock = clock
        self._silent_s = silent_s
        self._ping_s = ping_s
        self._unresponsive_s = linger_s
        self._numbers = itertools.count(1)
        self._hosts: list[HostHandle] = []
        self._jobs: dict[int, tuple[TriggerJob, TriggerTaskInstance]] = {}
        """By number; a job that moves has two for a moment."""
        self._current: dict[int, int] = {}
        """Trigger to the number of its newest start."""
        self._unassigned: list[tuple[TriggerJob, TriggerTaskInstance]] = []
        self._outcomes: list[tuple[TriggerJob, DeferralResult]] = []
        self._cancelling: dict[int, CancellingTrigger] = {}
        """By number, the longest first."""
        self._pending_on_kills: list[CancellingTrigger] = []
        """They are to hear `on_kill` in a host that knows nothing of them."""
        self._finished_on_kills: list[int] = []
        self._unresponsive: list[tuple[TriggerJob, float]] = []
        self._block_reports: list[tuple[TriggerJob, LoopBlocked]] = []
        self._exiting: list[HostProcess[FromTriggerHost]] = []
        self._backoff = SpawnBackoff()
        self.requests: deque[tuple[HostProcess[FromTriggerHost], TaskApiRequestMessage]] = deque()
        """What triggers asked and nobody has answered yet, and to whom the answer goes."""
        self.block_count = 0
        """How often a trigger held up a loop, since the start."""
        self.crash_count = 0
        """Hosts that ended by themselves, or had to be killed."""

    def __len__(self) -> int:
        return len(self._current) + len(self._unassigned)

    def read_filenos(self) -> list[int]:
        """What becomes readable when a host says something."""
        return [host.process.fileno() for host in self._hosts if not host.process.stream.ended]

    def write_filenos(self) -> list[int]:
        """What becomes writable when a host takes more of what it was told: then `turn` goes on with it."""
        return [host.process.fileno() for host in self._hosts if not host.process.flush()]

    @property
    def blocked_loops(self) -> list[LoopBlocked]:
        """Who holds up a loop now."""
        return [host.block_report for host in self._hosts if host.block_report is not None]

    def take_block_reports(self) -> list[tuple[TriggerJob, LoopBlocked]]:
        """Who held up a loop since this was asked last."""
        named, self._block_reports = self._block_reports, []
        return named

    def take_finished_on_kills(self) -> list[int]:
        """Of those that had to hear `on_kill`, who is gone since this was asked last."""
        closed, self._finished_on_kills = self._finished_on_kills, []
        return closed

    def take_unresponsive(self) -> list[tuple[TriggerJob, float]]:
        """Who has not ended since this was asked last, and how long after it was told to, in seconds."""
        lingering, self._unresponsive = self._unresponsive, []
        return lingering

    # ---- orders -----------------------------------------------------------------------------------------------------
    def start(self, jobs: Iterable[tuple[TriggerJob, TriggerTaskInstance]]) -> None:
        """They run as soon as there is a host."""
        self._unassigned.extend(jobs)
        self._assign()

    def cancel(self, trigger_pks: Iterable[int], *, on_kill: bool) -> None:
        """They are ended; no event of them is heard any more. Those that hear `on_kill` are `take_finished_on_kills` when they are gone."""
        wanted = set(trigger_pks)
        if not wanted:
            return
        waiting = [one for one in self._unassigned if one[0].trigger_pk in wanted]
        self._unassigned = [one for one in self._unassigned if one[0].trigger_pk not in wanted]
        numbers = {pk: self._current.pop(pk) for pk in wanted if pk in self._current}
        for number in numbers.values():
            self._mark_cancelling(number, *self._jobs.pop(number), on_kill)
        self._send_cancel(set(numbers.values()), on_kill)
        if on_kill:
            self.start_on_kill(waiting)
            self._finished_on_kills += sorted(wanted - numbers.keys() - {job.trigger_pk for job, _ in waiting})

    def start_on_kill(self, jobs: Iterable[tuple[TriggerJob, TriggerTaskInstance]]) -> None:
        """Of these, which run nowhere, `on_kill` and `cleanup` are called."""
        self._pending_on_kills += [CancellingTrigger(job, told, 0.0, on_kill=True, on_kill_tries=0) for job, told in jobs]
        self._assign()

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
            host.is_retired = True
            host.process.put(StopHost(within_s=within_s))
            host.process.flush()
        self._unassigned, self._pending_on_kills = [], []

    def has_ended(self) -> bool:
        """Whether no host is left."""
        return not self._hosts

    def kill(self) -> None:
        """No host is left, and no trigger was cleaned up."""
        for host in self._hosts:
            host.process.kill()
            self._exiting.append(host.process)
        self._hosts = []
        self._jobs, self._current, self._unassigned, self._outcomes = {}, {}, [], []
        self._cancelling, self._pending_on_kills, self._finished_on_kills = {}, [], []
        self._reap_hosts()

    # ---- one round --------------------------------------------------------------------------------------------------
    def run_once(self) -> list[tuple[TriggerJob, DeferralResult]]:
        """What has ended since the last round."""
        now = self._clock.monotonic()
        for host in list(self._hosts):
            self._read_messages(host, now)
            if host.process.stream.ended:
                self._on_host_exit(host, now)
            else:
                self._check_host(host, now)
        self._report_unresponsive(now)
        self._replace_outdated()
        self._assign()
        for host in self._hosts:
            host.process.flush()
        self._reap_hosts()
        ended, self._outcomes = self._outcomes, []
        return ended

    @property
    def wake_in_s(self) -> float:
        """When to call `turn` again at the latest."""
        return self._ping_s if self._hosts or self._unassigned or self._pending_on_kills else 60.0

    def _read_messages(self, host: HostHandle, now: float) -> None:
        for message in host.process.stream.receive():
            self._on_message(host, message, now)

    def _on_message(self, host: HostHandle, message: FromTriggerHost, now: float) -> None:
        match message:
            case TriggersEnded(ends=ends):
                for end in ends:
                    self._on_trigger_end(end.number, end.fired)
            case TriggersFinished(numbers=numbers):
                host.numbers.difference_update(numbers)
                for number in numbers:
                    self._forget_superseded(number)
                    going = self._cancelling.pop(number, None)
                    if going is not None and going.on_kill:
                        self._finished_on_kills.append(going.job.trigger_pk)
            case Pong():
                host.last_message_at, host.is_ready = now, True
            case TaskApiRequestMessage():
                self.requests.append((host.process, message))
            case LoopBlocked(is_over=over):
                self._record_block(host, message)
                host.block_report = None if over else message

    def _forget_superseded(self, number: int) -> None:
        """A start that has moved to another host, and is gone from its old one without an event."""
        found = self._jobs.get(number)
        if found is not None and self._current.get(found[0].trigger_pk) != number:
            del self._jobs[number]

    def _record_block(self, host: HostHandle, report: LoopBlocked) -> None:
        """Each block is counted, and its culprit named, once."""
        if host.block_report is not None or report.is_over:
            return
        self.block_count += 1
        found = None if report.number is None else self._jobs.get(report.number)
        if found is not None:
            self._block_reports = [*self._block_reports[-(REPORTS_MAX - 1) :], (found[0], report)]

    def _on_trigger_end(self, number: int, fired: DeferralResult) -> None:
        """The first end of a trigger counts; another start of it is no longer needed."""
        found = self._jobs.pop(number, None)
        if found is None:
            return
        current = self._current.pop(found[0].trigger_pk, None)
        if current is None:
            return
        self._outcomes.append((found[0], fired))
        self._mark_cancelling(number, *found)
        if current != number:
            self._mark_cancelling(current, *self._jobs.pop(current))
            self._send_cancel({current}, on_kill=False)

    def _mark_cancelling(self, number: int, job: TriggerJob, told: TriggerTaskInstance, on_kill: bool = False) -> None:
        self._cancelling[number] = CancellingTrigger(job, told, self._clock.monotonic(), on_kill)

    def _report_unresponsive(self, now: float) -> None:
        """Who ignores its end takes no place, keeps no note, and holds no idle host; what it does is its host's until that ends."""
        while self._cancelling:
            number, going = next(iter(self._cancelling.items()))
            if now - going.cancelled_at <= self._unresponsive_s:
                return
            del self._cancelling[number]
            for host in self._hosts:
                host.numbers.discard(number)
            _log.error(
                "trigger_lingers", trigger=going.job.classpath, task=going.task_instance.describe(), seconds=round(now - going.cancelled_at),
                remedy="it ignores that it is cancelled; `gnomon triggerer reload` ends it",
            )
            self._unresponsive = [*self._unresponsive[-(REPORTS_MAX - 1) :], (going.job, now - going.cancelled_at)]
            if going.on_kill:
                self._finished_on_kills.append(going.job.trigger_pk)

    def _send_cancel(self, numbers: set[int], on_kill: bool) -> None:
        for host in self._hosts:
            here = host.numbers & numbers
            if here:
                host.process.put(CancelTriggers(numbers=sorted(here), on_kill=on_kill))

    # ---- hosts ------------------------------------------------------------------------------------------------------
    def _check_host(self, host: HostHandle, now: float) -> None:
        patience = self._silent_s if host.is_ready else max(START_S, self._silent_s)
        if now - max(host.last_message_at, host.started_at) > patience + self._ping_s:
            host.process.kill()
            self._on_host_exit(host, now, silent=True)
        elif now - host.pinged_at >= self._ping_s:
            host.pinged_at = now
            host.process.put(Ping(number=0))
        if host.numbers:
            host.idle_since = now
        elif not host.is_retired and now - max(host.idle_since, host.started_at) > IDLE_S:
            host.is_retired = True
            host.process.put(StopHost(within_s=self._ping_s))

    def _on_host_exit(self, host: HostHandle, now: float, silent: bool = False) -> None:
        """It has ended, or was killed: what ran in it begins anew, but for who is to blame."""
        if not silent:
            host.process.wait(REAP_S)
        host.process.kill()
        self._hosts.remove(host)
        self._exiting.append(host.process)
        if not host.is_retired:
            self.crash_count += 1
        culprit = host.block_report.number if host.block_report is not None and silent else None
        if culprit is not None and host.block_report is not None:
            _log.error("host_killed", trigger=host.block_report.classpath, task=host.block_report.task, stack=host.block_report.stack)
            reason = f"it blocked the loop of all triggers for {self._silent_s:g} s, and was ended with its process; let it await"
            self._on_trigger_end(culprit, DeferralResult(outcome="error", reason=reason, traceback=host.block_report.stack))
        jobs = self._live_jobs(host)
        for number in sorted(host.numbers):
            self._jobs.pop(number, None)
            going = self._cancelling.pop(number, None)
            if going is not None and going.on_kill:
                self._retry_on_kill(going)
        if host.is_retired and not jobs:
            return
        code = host.process.exit_code if host.process.is_reaped() else None
        _log.error("host_ended", pid=host.process.pid, exit_code=code, silent=silent, triggers=len(jobs), next="they begin anew")
        if culprit is not None:
            self._start_in_new_host(jobs, host.suspicion)
        else:
            soon = now - host.started_at < SUSPECT_AFTER_START_S
            self._split_suspects(jobs, host.suspicion + 1 if soon else 1, code)

    def _retry_on_kill(self, going: CancellingTrigger) -> None:
        if going.on_kill_tries < ON_KILL_TRIES_MAX:
            self._pending_on_kills.append(going)
            return
        _log.error("on_kill_given_up", trigger=going.job.classpath, task=going.task_instance.describe(), hosts_ended=going.on_kill_tries)
        self._finished_on_kills.append(going.job.trigger_pk)

    def _split_suspects(self, jobs: list[tuple[TriggerJob, TriggerTaskInstance]], suspicion: int, code: int | None) -> None:
        if suspicion <= SPLIT_AFTER or not jobs:
            self._start_in_new_host(jobs, suspicion)
        elif len(jobs) == 1:
            job, told = jobs[0]
            _log.error("trigger_ends_its_host", trigger=job.classpath, task=told.describe(), exit_code=code)
            reason = f"its process ended {suspicion} times, the last time with it alone in it (exit code {code})"
            self._current.pop(job.trigger_pk, None)
            self._outcomes.append((job, DeferralResult(outcome="error", reason=reason)))
        else:
            middle = len(jobs) // 2
            self._start_in_new_host(jobs[:middle], suspicion)
            self._start_in_new_host(jobs[middle:], suspicion)

    def _live_jobs(self, host: HostHandle) -> list[tuple[TriggerJob, TriggerTaskInstance]]:
        """Its triggers that have not ended and run nowhere newer."""
        found = [(number, self._jobs.get(number)) for number in sorted(host.numbers)]
        return [one for number, one in found if one is not None and self._current.get(one[0].trigger_pk) == number]

    def _replace_outdated(self) -> None:
        for host in [one for one in self._hosts if one.outdated and not one.is_retired]:
            moved = self._live_jobs(host)
            new = self._start_host(host.suspicion, at_most=HOSTS_MAX + 1) if moved else None
            if moved and new is None:
                return
            host.is_retired = True
            host.process.put(StopHost(within_s=self._silent_s))
            if new is not None:
                self._send_starts(new, moved)

    def _assign(self) -> None:
        """Those without a host get one."""
        if not self._unassigned and not self._pending_on_kills:
            return
        host = min((one for one in self._hosts if not one.is_retired), key=lambda one: one.suspicion, default=None)
        if host is None or host.suspicion >= SPLIT_AFTER:
            host = self._start_host(0)
        if host is not None:
            jobs, self._unassigned = self._unassigned, []
            self._send_starts(host, jobs)
            self._send_on_kill_starts(host)

    def _start_in_new_host(self, jobs: list[tuple[TriggerJob, TriggerTaskInstance]], suspicion: int) -> None:
        """They begin in a new host, or wait for one."""
        if not jobs:
            return
        host = self._start_host(suspicion)
        if host is not None:
            self._send_starts(host, jobs)
            return
        for job, _ in jobs:
            self._current.pop(job.trigger_pk, None)
        self._unassigned.extend(jobs)

    def _start_host(self, suspicion: int, at_most: int = HOSTS_MAX) -> HostHandle | None:
        """None: the machine refuses for now, or so many hosts run already."""
        now = self._clock.monotonic()
        if not self._backoff.is_over(now):
            return None
        try:
            if len(self._hosts) >= at_most:
                raise OSError(f"{len(self._hosts)} hosts run already")
            process = start_host(self._environ)
        except OSError as error:
            self._backoff.refused(describe_refusal(error), now)
            _log.error("host_refused", error=self._backoff.reason, again_after_s=self._backoff.pause_s, remedy=REFUSAL_REMEDY)
            return None
        self._backoff.succeeded()
        host = HostHandle(process, now, now, suspicion, idle_since=now)
        self._hosts.append(host)
        return host

    def _send_starts(self, host: HostHandle, jobs: list[tuple[TriggerJob, TriggerTaskInstance]]) -> None:
        for job, told in jobs:
            number = next(self._numbers)
            self._jobs[number] = (job, told)
            self._current[job.trigger_pk] = number
            host.numbers.add(number)
            host.process.put(StartTrigger(
                number=number, classpath=job.classpath, kwargs=job.kwargs, task_instance=told, trigger_id=job.trigger_pk
            ))
        host.process.flush()

    def _send_on_kill_starts(self, host: HostHandle) -> None:
        unheard, self._pending_on_kills = self._pending_on_kills, []
        now = self._clock.monotonic()
        for one in unheard:
            number, job = next(self._numbers), one.job
            self._cancelling[number] = CancellingTrigger(job, one.task_instance, now, on_kill=True, on_kill_tries=one.on_kill_tries + 1)
            host.numbers.add(number)
            host.process.put(StartTrigger(
                number=number, classpath=job.classpath, kwargs=job.kwargs, task_instance=one.task_instance, trigger_id=job.trigger_pk, is_on_kill_only=True
            ))
        host.process.flush()

    def _reap_hosts(self) -> None:
        self._exiting = [process for process in self._exiting if not process.is_reaped()]
