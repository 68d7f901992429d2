"""Runs a projection in a process of its own: at idle priority, with a bound on its memory, and gone when it has answered."""

from __future__ import annotations

import atexit
import os
import pickle
import resource
import signal
import sys
import time
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from gnomon.author_code.processes.kernel import die_with_parent
from gnomon.model.errors.product import GnomonError, InternalError, UserError
from gnomon.model.sentences import say

T = TypeVar("T")
IDLE = 19
"""The nice value: a twentieth of the processor time of a task, where both want it."""
FREE_S, TURN_S, PAUSE_S = 0.1, 0.02, 0.1
"""After so many seconds of processor the process looks in turns of so many seconds whether others want the processor, and pauses for so long if they do."""
LOOK_S = 0.1
"""How long a machine must be busy to be taken for one that is never idle."""
INTERRUPTIONS_MAX = 4
"""The most interruptions in a turn on a machine that has nothing to do: those of the kernel."""
MEMORY_BYTES = 4 * 1024**3
"""The address space of the process; above it the projection ends with an error."""


def become_idle() -> None:
    """Let all others go first. On a machine with idle moments the process takes these alone: who wakes up has its processor at once, which a nice value alone does not do.

    On one that is never idle it would never end then, just in the night whose end is promised: there its nice value gives it a little.
    """
    os.nice(IDLE)
    if _has_idle_moments():
        try:
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        except OSError:
            pass  # a container may forbid it: then the nice value remains
    _make_way()


def _has_idle_moments() -> bool:
    try:
        before = _read_idle_ticks()
        time.sleep(LOOK_S)
        return _read_idle_ticks() > before
    except OSError:  # a sandbox without /proc
        return True


def _read_idle_ticks() -> int:
    """How long the processors had nothing to do since the start of the machine, waits for disks included."""
    with open("/proc/stat", encoding="ascii") as file:
        fields = file.readline().split()
    return int(fields[4]) + int(fields[5])


def _make_way() -> None:
    """Pause whenever others have interrupted this process often: it may keep one that wakes up waiting for an instant, and what it leaves in the caches costs them too."""
    seen = resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw

    def look(_signal: int, _frame: object) -> None:
        nonlocal seen
        if resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw - seen > INTERRUPTIONS_MAX:
            time.sleep(PAUSE_S)
        seen = resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw

    signal.signal(signal.SIGVTALRM, look)
    signal.setitimer(signal.ITIMER_VIRTUAL, FREE_S, TURN_S)
    atexit.register(signal.setitimer, signal.ITIMER_VIRTUAL, 0.0)  # the end of Python takes the handler away first


def run_idle(compute: Callable[[], T]) -> T:
    """The result of `compute`, called in a forked process. Its GnomonErrors are raised here; it ends with this process, however that ends.

    Raises UserError when the process needs more memory than MEMORY_BYTES, InternalError when it ended without an answer.
    """
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        _answer(writer, compute)
    os.close(writer)
    try:
        with open(reader, "rb") as answer:
            packed = answer.read()
    except BaseException:
        os.kill(pid, signal.SIGKILL)
        raise
    finally:
        os.waitpid(pid, 0)
    if not packed:
        raise InternalError("the process of the projection ended without an answer")
    result: Any = pickle.loads(packed)
    if isinstance(result, BaseException):
        raise result
    value: T = result
    return value


def _answer(writer: int, compute: Callable[[], object]) -> NoReturn:
    """Write the result, or the error, and end without the exit handlers of the parent."""
    code = 1
    try:
        die_with_parent(signal.SIGKILL)
        become_idle()
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, resource.getrlimit(resource.RLIMIT_AS)[1]))
        result: object
        try:
            result = compute()
        except GnomonError as error:
            result = error
        except MemoryError:
            result = UserError(say("projection_needs_memory", size=f"{MEMORY_BYTES // 1024**3} GB"))
        with open(writer, "wb") as answer:
            pickle.dump(result, answer)
        code = 0
    except BaseException:
        import traceback  # only for an error of ours: the parent says that there was no answer

        traceback.print_exc(file=sys.stderr)
    finally:
        os._exit(code)
