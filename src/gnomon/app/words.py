"""How a process ended, in words."""

from __future__ import annotations

import signal


def how_it_ended(code: int) -> str:
    """Of an exit code as `os.waitstatus_to_exitcode` gives it: negative is a signal."""
    if code >= 0:
        return f"ended with code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = "unknown"
    hint = ", probably out of memory or by hand" if -code == signal.SIGKILL else ""
    return f"was killed by signal {-code} ({name}{hint})"
