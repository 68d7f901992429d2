"""Direct children of the worker process: reaped when they end, killed when they belong to nothing that lives.

The worker is a subreaper. What an attempt leaves behind becomes its child: the processes of an attempt that was
killed, and the children of a zygote that died (which live on).
"""

from __future__ import annotations

import os
import signal

from gnomon.runner.kernel import own_children
from gnomon.worker.children import end_group


def reap(leaders: set[int]) -> list[tuple[int, int]]:
    """(pid, exit code) of every direct child that ended; the process groups of `leaders` among them are killed."""
    ended: list[tuple[int, int]] = []
    while True:
        try:
            found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if found is None:
                return ended
            if found.si_pid in leaders:
                end_group(found.si_pid)
            pid, status = os.waitpid(found.si_pid, 0)
        except ChildProcessError:
            return ended
        ended.append((pid, os.waitstatus_to_exitcode(status)))


def kill_orphans(known: set[int]) -> int:
    """Every direct child that is not `known` got SIGKILL. Returns how many; their own children come up next time."""
    orphans = [pid for pid in own_children() if pid not in known]
    for pid in orphans:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    return len(orphans)
