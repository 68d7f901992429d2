"""Starts services as child processes: forked, named, in a process group of their own."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from gnomon.author_code.processes.kernel import die_with_parent
from gnomon.author_code.processes.spawn_backoff import REFUSAL_REMEDY, describe_refusal
from gnomon.ground import log
from gnomon.ground.wakeups import STOP_SIGNALS, reset_signals
from gnomon.model.errors.product import GnomonError, ResourceUnavailable
from gnomon.model.sentences import say


class Demand(Protocol):
    """What the supervisor watches for a service that has no process yet."""

    def fileno(self) -> int:
        """A descriptor that is readable when the service may be needed."""

    def is_needed(self) -> bool:
        """Whether the service is needed now."""

    def leave_in_fork(self) -> None:
        """Close what a forked process has of it."""

    def close(self) -> None:
        """The supervisor ends."""


@dataclass(frozen=True, slots=True)
class Service:
    """One kind of process that the supervisor keeps alive."""

    name: str
    run: Callable[[], int]
    """Blocks until SIGTERM; returns the exit code."""
    drain_s: float = 0.0
    """How long the service may continue after SIGTERM, until SIGQUIT. Services with 0 run until all draining services have ended."""
    demand: Demand | None = None
    """What says that the service is needed: it has no process before, nor after an end with exit code 0. None: it is needed always."""


def fork_service(service: Service, prepare: Callable[[], None]) -> int:
    """Fork a child that runs the service in a process group of its own; returns its process id. The child calls `prepare` first.

    Raises ResourceUnavailable when the machine refuses the process.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    parent = os.getpid()
    unblocked = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    try:
        try:
            pid = os.fork()
        except OSError as error:
            raise ResourceUnavailable(
                say(
                    "process_cannot_be_started",
                    process_kind=service.name,
                    reason=describe_refusal(error),
                    remedy=REFUSAL_REMEDY,
                )
            ) from error
        if pid == 0:
            os._exit(_run_in_child(service, prepare, parent, unblocked))
        return pid
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, unblocked)


def _run_in_child(service: Service, prepare: Callable[[], None], parent: int, unblocked: Iterable[int]) -> int:
    code = 1
    try:
        reset_signals()
        signal.pthread_sigmask(
            signal.SIG_SETMASK, unblocked
        )  # blocked until here: the parent's handlers would have run in this child
        os.setpgid(0, 0)  # Ctrl-C reaches only the supervisor, which ends the services in order
        die_with_parent(signal.SIGQUIT if service.drain_s else signal.SIGTERM)
        if os.getppid() != parent:
            return code
        prepare()
        code = service.run()
    except GnomonError as error:
        log.get_logger("app").error("service_failed", process=service.name, message=str(error))
    except KeyboardInterrupt:
        pass
    except BaseException:
        log.get_logger("app").exception("service_crashed", process=service.name)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return code
