"""Direct children of the worker process: reaped when they end, killed when they belong to nothing that lives.

The worker is a subreaper. What an attempt leaves behind becomes its child: the processes of an attempt that was
killed, and the children of a zygote that died (which live on).
"""

from __future__ import annotations

import os
import signal

from gnomon.processes.kernel import own_children


def kill_orphans(known: set[int]) -> int:
    """Every direct child that is not `known` got SIGKILL. Returns how many; their own children come up next time."""
    orphans = [pid for pid in own_children() if pid not in known]
    for pid in orphans:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    return len(orphans)
