"""In the path of a test's product: its processes read the time from a file that the test writes, its projections wait for no idle moment, and its monitor does not rest after one."""

from __future__ import annotations

import mmap
import os
import struct
import sys

_path = os.environ.get("GNOMON_TEST_CLOCK")

if _path:
    from gnomon.ground.clock import SystemClock

    with open(_path, "rb") as _file:
        _shared = mmap.mmap(_file.fileno(), 8, prot=mmap.PROT_READ)

    def _now(self: SystemClock) -> int:
        found: int = struct.unpack_from("<q", _shared)[0]
        return found

    SystemClock.now = _now  # type: ignore[method-assign]

    # A projection takes what no other process wants, which beside other tests is nothing: one of two days took five minutes.
    from gnomon.entry.projection import idle_process

    idle_process.become_idle = lambda: None

    # The monitor rests four times as long as a forecast took, in seconds that no test sets forward: beside other tests, minutes.
    if "standalone" in sys.orig_argv:
        from gnomon.services.monitor import baseline_evaluation

        baseline_evaluation.REST_FACTOR = 0.0
