"""Services as child processes: forked, named, ended, reaped."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from gnomon import log
from gnomon.errors.product import GnomonError, WorldAway
from gnomon.processes.kernel import die_with_parent, own_children
from gnomon.processes.refusals import REMEDY, refusal
from gnomon.wakeups import STOP_SIGNALS, forget_signals

_STRAGGLER_ROUNDS = 200
"""Killing orphans makes orphans; a family deeper than this does not exist."""


@dataclass(frozen=True, slots=True)
class Service:
    """One kind of process that the supervisor keeps alive."""

    name: str
    run: Callable[[], int]
    """Blocks until SIGTERM; returns the exit code."""
    drain_s: float = 0.0
    """How long it may go on after SIGTERM, until SIGQUIT; services without such a time run on until it has ended."""


def start(service: Service, prepare: Callable[[], None]) -> int:
    """The process id of a new child that runs the service, in a process group of its own. `prepare` runs in it first.

    WorldAway when the machine refuses the process.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    parent = os.getpid()
    unblocked = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    try:
        try:
            pid = os.fork()
        except OSError as error:
            raise WorldAway(f"the process of the {service.name} cannot be started: {refusal(error)}; {REMEDY}") from error
        if pid == 0:
            os._exit(_in_child(service, prepare, parent, unblocked))
        return pid
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, unblocked)


def _in_child(service: Service, prepare: Callable[[], None], parent: int, unblocked: Iterable[int]) -> int:
    code = 1
    try:
        forget_signals()
        signal.pthread_sigmask(signal.SIG_SETMASK, unblocked)  # the parent's handlers, until here, would have taken them
        os.setpgid(0, 0)  # a Ctrl-C reaches the supervisor alone, which then ends everybody in order
        die_with_parent(signal.SIGQUIT if service.drain_s else signal.SIGTERM)
        if os.getppid() != parent:
            return code
        prepare()
        code = service.run()
    except GnomonError as error:
        log.get("app").error("service_failed", process=service.name, message=str(error))
    except KeyboardInterrupt:
        pass
    except BaseException:
        log.get("app").exception("service_crashed", process=service.name)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return code


def signal_all(pids: Sequence[int], number: int) -> None:
    """Every one of these processes that still exists was sent the signal."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def kill_orphans(keep: frozenset[int]) -> int:
    """No child of this process is left but those to keep, nor children of what was killed; returns how many were ended.

    Only a subreaper sees the orphans of its descendants.
    """
    killed = 0
    for _ in range(_STRAGGLER_ROUNDS):
        orphans = [pid for pid in own_children() if pid not in keep]
        if not orphans:
            break
        signal_all(orphans, signal.SIGKILL)
        for pid in orphans:
            try:
                os.waitpid(pid, 0)
            except ChildProcessError:
                pass
        killed += len(orphans)
    return killed
