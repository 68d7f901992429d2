"""The hosts of one triggerer: which trigger runs in which host, and which trigger is to blame when a host ends.

Normally there is one host. A host that ends unexpectedly is replaced, and its triggers start again. When that happens
again soon, its triggers are split between two hosts, and so on, until the trigger that ends its process is alone in a
host and is failed. The other triggers go on. When such a trigger is started again, as the trigger of a watcher is, it gets a host of its own.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterable, Mapping

from gnomon.author_code.processes.host_process import HostProcess
from gnomon.author_code.processes.spawn_backoff import REFUSAL_REMEDY, SpawnBackoff, describe_refusal
from gnomon.author_code.processes.task_api_messages import TaskApiRequestMessage
from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.model.deferral import DeferralResult
from gnomon.model.result_checks import check_deferral_result, find_watcher_event_fault
from gnomon.model.sentences import render, say
from gnomon.services.triggerer.cancellations import REPORTS_MAX, UNRESPONSIVE_S, CancellationTracker, TriggerJob
from gnomon.services.triggerer.host_handle import REAP_S, HostHandle, build_block_result, escape_report, start_host
from gnomon.services.triggerer.host_protocol import (
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
    WatcherEventYielded,
)

START_S = 60.0
"""A new host must send its first message within this time."""
SUSPECT_AFTER_START_S = 60.0
"""When a host ends within this time after its start, one of its triggers is suspected."""
SPLIT_AFTER = 2
"""After this many unexplained ends in a row, the triggers are split between two hosts."""
HOSTS_MAX = 20
"""Enough to find one trigger among 50,000 by halving."""
APART_MAX = 4
"""Watchers that run in hosts of their own, because their code has ended a host before; a further one shares a host again."""
IDLE_S = 60.0
"""A host without a trigger ends after this time."""
_log = log.get_logger("triggerer")


class HostPool:
    """Runs triggers in host processes. No method blocks; `run_once` is one bounded round."""

    def __init__(
        self,
        environ: Mapping[str, str],
        clock: Clock,
        *,
        silent_s: float,
        ping_s: float,
        unresponsive_s: float = UNRESPONSIVE_S,
    ) -> None:
        """`environ`: of each host process. `silent_s`: a host that does not answer a ping within it is killed."""
        self._environ = environ
        self._clock = clock
        self._silent_s = silent_s
        self._ping_s = ping_s
        self._numbers = itertools.count(1)
        self._hosts: list[HostHandle] = []
        self._jobs: dict[int, tuple[TriggerJob, TriggerTaskInstance]] = {}
        """By number of the start; a trigger that moves to another host has two for a moment."""
        self._current: dict[int, int] = {}
        """trigger_pk to the number of its newest start."""
        self._unassigned: list[tuple[TriggerJob, TriggerTaskInstance]] = []
        self._outcomes: list[tuple[TriggerJob, DeferralResult]] = []
        self._cancellations = CancellationTracker(clock, unresponsive_s)
        self._block_reports: list[tuple[TriggerJob, LoopBlocked]] = []
        self._exiting: list[HostProcess[FromTriggerHost]] = []
        self._backoff = SpawnBackoff()
        self._crashed: dict[int, None] = {}
        """The last APART_MAX triggers (trigger_pk) that ended their process while no other trigger was in it."""
        self.requests: deque[tuple[HostProcess[FromTriggerHost], TaskApiRequestMessage]] = deque()
        """Task API requests of triggers without an answer yet, each with the host that waits for the answer."""
        self.watcher_events: list[tuple[HostProcess[FromTriggerHost], WatcherEventYielded]] = []
        """Events of watchers that are not stored yet, each with the host that waits for it to be stored."""
        self.block_count = 0
        """How often a trigger blocked an event loop, since the start."""
        self.crash_count = 0
        """Hosts that ended unexpectedly or had to be killed."""

    def __len__(self) -> int:
        return len(self._current) + len(self._unassigned)

    def read_filenos(self) -> list[int]:
        """Descriptors that become readable when a host sends a message."""
        return [host.process.fileno() for host in self._hosts if not host.process.stream.ended]

    def write_filenos(self) -> list[int]:
        """Descriptors that become writable when a host can take the rest of its messages; `run_once` then sends them."""
        return [host.process.fileno() for host in self._hosts if not host.process.flush()]

    @property
    def blocked_loops(self) -> list[LoopBlocked]:
        """The event loops that are blocked now."""
        return [host.block_report for host in self._hosts if host.block_report is not None]

    def take_block_reports(self) -> list[tuple[TriggerJob, LoopBlocked]]:
        """The triggers that blocked an event loop since the last call."""
        reports, self._block_reports = self._block_reports, []
        return reports

    def take_finished_on_kills(self) -> list[int]:
        """The trigger_pks whose `on_kill` is over since the last call."""
        return self._cancellations.take_finished_on_kills()

    def take_unresponsive(self) -> list[tuple[TriggerJob, float]]:
        """The cancelled triggers that did not end, since the last call, each with the seconds since its cancellation."""
        return self._cancellations.take_unresponsive()

    # ---- orders -----------------------------------------------------------------------------------------------------
    def start(self, jobs: Iterable[tuple[TriggerJob, TriggerTaskInstance]]) -> None:
        """Run these triggers as soon as there is a host."""
        self._unassigned.extend(jobs)
        self._assign()

    def cancel(self, trigger_pks: Iterable[int], *, on_kill: bool) -> None:
        """End these triggers; later events of them are ignored.

        With `on_kill` the triggers also run `on_kill`, and `take_finished_on_kills` returns each one when it has ended.
        """
        pks = set(trigger_pks)
        if not pks:
            return
        waiting = [job for job in self._unassigned if job[0].trigger_pk in pks]
        self._unassigned = [job for job in self._unassigned if job[0].trigger_pk not in pks]
        numbers = {pk: self._current.pop(pk) for pk in pks if pk in self._current}
        for number in numbers.values():
            self._cancellations.add(number, *self._jobs.pop(number), on_kill=on_kill)
        self._send_cancel(set(numbers.values()), on_kill)
        if on_kill:
            self.start_on_kill(waiting)
            self._cancellations.add_finished_on_kills(
                sorted(pks - numbers.keys() - {job.trigger_pk for job, _ in waiting})
            )

    def start_on_kill(self, jobs: Iterable[tuple[TriggerJob, TriggerTaskInstance]]) -> None:
        """Call `on_kill` and `cleanup` of these triggers, which run in no host."""
        self._cancellations.queue_on_kill(jobs)
        self._assign()

    def reload(self) -> None:
        """Start all triggers again in a host that has imported nothing; until they run there, events of the old host count.

        A host whose triggers get no new host for now keeps them, and is replaced in a later `run_once`.
        """
        for host in self._hosts:
            host.outdated = True
        self._replace_outdated()

    def stop(self, within_s: float) -> None:
        """Tell every host to clean up its triggers and end within `within_s` seconds."""
        for host in self._hosts:
            host.is_retired = True
            host.process.put(StopHost(within_s=within_s))
            host.process.flush()
        self._unassigned = []
        self._cancellations.clear_pending_on_kills()

    def has_ended(self) -> bool:
        """Whether no host is left."""
        return not self._hosts

    def kill(self) -> None:
        """Kill every host at once, without any cleanup of triggers."""
        for host in self._hosts:
            host.process.kill()
            self._exiting.append(host.process)
        self._hosts = []
        self._jobs, self._current, self._unassigned, self._outcomes = {}, {}, [], []
        self._cancellations.clear()
        self._reap_hosts()

    # ---- one round --------------------------------------------------------------------------------------------------
    def run_once(self) -> list[tuple[TriggerJob, DeferralResult]]:
        """Read messages, check hosts, start what waits; returns the triggers that ended since the last round."""
        now = self._clock.monotonic()
        for host in list(self._hosts):
            self._read_messages(host, now)
            if host.process.stream.ended:
                self._on_host_exit(host, now)
            else:
                self._check_host(host, now)
        self._drop_unresponsive()
        self._replace_outdated()
        self._assign()
        for host in self._hosts:
            host.process.flush()
        self._reap_hosts()
        ended, self._outcomes = self._outcomes, []
        return ended

    @property
    def wake_in_s(self) -> float:
        """Seconds until `run_once` must be called again at the latest."""
        return self._ping_s if self._hosts or self._unassigned or self._cancellations.has_pending_on_kills else 60.0

    def _read_messages(self, host: HostHandle, now: float) -> None:
        for message in host.process.stream.receive():
            self._on_message(host, message, now)

    def _on_message(self, host: HostHandle, message: FromTriggerHost, now: float) -> None:
        match message:
            case TriggersEnded(ends=ends):
                for end in ends:
                    if end.number in host.numbers:  # code of an author shares the process: it may name any number
                        self._on_trigger_end(end.number, check_deferral_result(end.result))
            case TriggersFinished(numbers=numbers):
                finished = [number for number in numbers if number in host.numbers]
                host.numbers.difference_update(finished)
                for number in finished:
                    self._forget_superseded(number)
                    self._cancellations.on_finished(number)
            case Pong():
                host.last_message_at, host.is_ready = now, True
            case TaskApiRequestMessage():
                self.requests.append((host.process, message))
            case WatcherEventYielded():
                self._on_watcher_event(host, message)
            case LoopBlocked():
                report = escape_report(message)
                self._record_block(host, report)
                host.block_report = None if report.is_over else report

    def _on_watcher_event(self, host: HostHandle, message: WatcherEventYielded) -> None:
        """Take over the event of a trigger that this host runs. One that cannot be stored ends the trigger with an error, and its watcher starts again later."""
        job = self._jobs.get(message.number)
        if message.number not in host.numbers or (
            job is not None and abs(job[0].trigger_pk) != abs(message.event.asset_trigger_pk)
        ):
            _log.warning(
                "watcher_event_dropped",
                number=message.number,
                reason="this process does not run the trigger that it names",
            )
            return
        fault = find_watcher_event_fault(message.event)
        if fault is None:
            self.watcher_events.append((host.process, message))
            return
        self._on_trigger_end(
            message.number,
            DeferralResult(outcome="error", reason=render(say("event_of_trigger_cannot_be_stored", fault=fault))),
        )
        self._send_cancel({message.number}, on_kill=False)

    def _forget_superseded(self, number: int) -> None:
        """Forget a start whose trigger has moved to another host, and which ended in its old host without an event."""
        started = self._jobs.get(number)
        if started is not None and self._current.get(started[0].trigger_pk) != number:
            del self._jobs[number]

    def _record_block(self, host: HostHandle, report: LoopBlocked) -> None:
        """Count each block once, and report its trigger once."""
        if host.block_report is not None or report.is_over:
            return
        self.block_count += 1
        started = None if report.number is None else self._jobs.get(report.number)
        if started is not None:
            self._block_reports = [*self._block_reports[-(REPORTS_MAX - 1) :], (started[0], report)]

    def _on_trigger_end(self, number: int, result: DeferralResult) -> None:
        """The first end of a trigger counts; a second start of the same trigger is cancelled."""
        started = self._jobs.pop(number, None)
        if started is None:
            return
        current = self._current.pop(started[0].trigger_pk, None)
        if current is None:
            return
        self._outcomes.append((started[0], result))
        self._cancellations.add(number, *started)
        if current != number:
            self._cancellations.add(current, *self._jobs.pop(current))
            self._send_cancel({current}, on_kill=False)

    def _drop_unresponsive(self) -> None:
        for number in self._cancellations.drop_unresponsive():
            for host in self._hosts:
                host.numbers.discard(number)

    def _send_cancel(self, numbers: set[int], on_kill: bool) -> None:
        for host in self._hosts:
            in_host = host.numbers & numbers
            if in_host:
                host.process.put(CancelTriggers(numbers=sorted(in_host), on_kill=on_kill))

    # ---- hosts ------------------------------------------------------------------------------------------------------
    def _check_host(self, host: HostHandle, now: float) -> None:
        limit_s = self._silent_s if host.is_ready else max(START_S, self._silent_s)
        if now - max(host.last_message_at, host.started_at) > limit_s + self._ping_s:
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
        """The host has ended or was killed: its triggers start again, except the trigger that blocked the event loop."""
        if not silent:
            host.process.wait(REAP_S)
        host.process.kill()
        self._hosts.remove(host)
        self._exiting.append(host.process)
        if not host.is_retired:
            self.crash_count += 1
        block = host.block_report if silent else None
        blocker = None if block is None else block.number
        if block is not None and blocker is not None:
            self._fail_blocker(blocker, block)
        jobs = self._live_jobs(host)
        for number in sorted(host.numbers):
            self._jobs.pop(number, None)
            self._cancellations.on_host_exit(number)
        if host.is_retired and not jobs:
            return
        code = host.process.exit_code if host.process.is_reaped() else None
        _log.error(
            "host_ended",
            pid=host.process.pid,
            exit_code=code,
            silent=silent,
            triggers=len(jobs),
            next="its triggers start again",
        )
        if blocker is not None:
            self._start_in_new_host(jobs, host.suspicion)
        else:
            soon = now - host.started_at < SUSPECT_AFTER_START_S or any(
                job.trigger_pk in self._crashed for job, _ in jobs
            )
            self._split_suspects(jobs, host.suspicion + 1 if soon else 1, code)

    def _fail_blocker(self, number: int, block: LoopBlocked) -> None:
        _log.error("host_killed", trigger=block.classpath, task=block.task, stack=block.stack)
        self._on_trigger_end(number, build_block_result(block, self._silent_s))

    def _split_suspects(
        self, jobs: list[tuple[TriggerJob, TriggerTaskInstance]], suspicion: int, code: int | None
    ) -> None:
        if suspicion <= SPLIT_AFTER or not jobs:
            self._start_in_new_host(jobs, suspicion)
        elif len(jobs) == 1:
            job, task_instance = jobs[0]
            _log.error("trigger_crashed_host", trigger=job.classpath, task=task_instance.describe(), exit_code=code)
            reason = (
                say("trigger_ended_process_again", number=str(code))
                if job.trigger_pk in self._crashed
                else say("trigger_ended_process", at_number=str(suspicion), number=str(code))
            )
            self._current.pop(job.trigger_pk, None)
            self._remember_crash(job.trigger_pk)
            self._outcomes.append((job, DeferralResult(outcome="error", reason=render(reason))))
        else:
            middle = len(jobs) // 2
            self._start_in_new_host(jobs[:middle], suspicion)
            self._start_in_new_host(jobs[middle:], suspicion)

    def _live_jobs(self, host: HostHandle) -> list[tuple[TriggerJob, TriggerTaskInstance]]:
        """The triggers of the host that have not ended and have no newer start in another host."""
        started = [(number, self._jobs.get(number)) for number in sorted(host.numbers)]
        return [job for number, job in started if job is not None and self._current.get(job[0].trigger_pk) == number]

    def _replace_outdated(self) -> None:
        for host in [host for host in self._hosts if host.outdated and not host.is_retired]:
            moved = self._live_jobs(host)
            new = self._start_host(host.suspicion, at_most=HOSTS_MAX + 1) if moved else None
            if moved and new is None:
                return
            host.is_retired = True
            host.process.put(StopHost(within_s=self._silent_s))
            if new is not None:
                self._send_starts(new, moved)

    def _assign(self) -> None:
        """Send the triggers that have no host to the least suspected one; a new host is started when there is none."""
        self._start_apart()
        jobs = [job for job in self._unassigned if job[0].trigger_pk not in self._crashed]
        if not jobs and not self._cancellations.has_pending_on_kills:
            return
        host = min((host for host in self._hosts if not host.is_retired), key=lambda host: host.suspicion, default=None)
        if host is None or host.suspicion >= SPLIT_AFTER:
            host = self._start_host(0)
        if host is not None:
            self._unassigned = [job for job in self._unassigned if job[0].trigger_pk in self._crashed]
            self._send_starts(host, jobs)
            self._send_on_kill_starts(host)

    def _start_apart(self) -> None:
        """Start each trigger that has ended its process before in a host of its own: it delays no other trigger again."""
        if not self._crashed:
            return
        apart = [job for job in self._unassigned if job[0].trigger_pk in self._crashed]
        self._unassigned = [job for job in self._unassigned if job[0].trigger_pk not in self._crashed]
        for job in apart:
            self._start_in_new_host([job], SPLIT_AFTER)

    def _remember_crash(self, trigger_pk: int) -> None:
        self._crashed.pop(trigger_pk, None)
        self._crashed[trigger_pk] = None
        if len(self._crashed) > APART_MAX:
            del self._crashed[next(iter(self._crashed))]

    def _start_in_new_host(self, jobs: list[tuple[TriggerJob, TriggerTaskInstance]], suspicion: int) -> None:
        """Start these triggers in a new host; while the machine refuses one, they wait unassigned."""
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
        """A new host; None when the machine refuses for now, or `at_most` hosts run already."""
        now = self._clock.monotonic()
        if not self._backoff.is_over(now):
            return None
        try:
            if len(self._hosts) >= at_most:
                raise OSError(f"{len(self._hosts)} hosts run already")
            process = start_host(self._environ)
        except OSError as error:
            self._backoff.refused(describe_refusal(error), now)
            _log.error(
                "host_refused", error=self._backoff.reason, again_after_s=self._backoff.pause_s, remedy=REFUSAL_REMEDY
            )
            return None
        self._backoff.succeeded()
        host = HostHandle(process, now, now, suspicion, idle_since=now)
        self._hosts.append(host)
        return host

    def _send_starts(self, host: HostHandle, jobs: list[tuple[TriggerJob, TriggerTaskInstance]]) -> None:
        for job, task_instance in jobs:
            number = next(self._numbers)
            self._jobs[number] = (job, task_instance)
            self._current[job.trigger_pk] = number
            host.numbers.add(number)
            host.process.put(
                StartTrigger(
                    number=number,
                    classpath=job.classpath,
                    kwargs=job.kwargs,
                    task_instance=task_instance,
                    trigger_id=job.trigger_pk,
                )
            )
        host.process.flush()

    def _send_on_kill_starts(self, host: HostHandle) -> None:
        for pending in self._cancellations.take_pending_on_kills():
            number, job = next(self._numbers), pending.job
            self._cancellations.add(
                number, job, pending.task_instance, on_kill=True, on_kill_tries=pending.on_kill_tries + 1
            )
            host.numbers.add(number)
            host.process.put(
                StartTrigger(
                    number=number,
                    classpath=job.classpath,
                    kwargs=job.kwargs,
                    task_instance=pending.task_instance,
                    trigger_id=job.trigger_pk,
                    is_on_kill_only=True,
                )
            )
        host.process.flush()

    def _reap_hosts(self) -> None:
        self._exiting = [process for process in self._exiting if not process.is_reaped()]
