"""Runs a projection in a process of its own: at idle priority, with a bound on its memory, and gone when it has answered."""

from __future__ import annotations

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
INTERRUPTIONS_MAX = 4
"""The most interruptions in a turn on a machine that has nothing to do: those of the kernel."""
MEMORY_BYTES = 4 * 1024**3
"""The address space of the process; above it the projection ends with an error."""


def become_idle() -> None:
    """Let all others go first. The idle policy of the kernel would not do: on a machine that is never idle nothing would be predicted, just in the night whose end is promised."""
    os.nice(IDLE)
    _make_way()


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
