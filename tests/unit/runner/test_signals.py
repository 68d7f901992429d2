"""Signals in the processes of tasks."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM, signal.SIGALRM, signal.SIGHUP))
from gnomon.runner.signals import prepare_sigterm
prepare_sigterm()
print(sorted(number.name for number in signal.pthread_sigmask(signal.SIG_BLOCK, ())))
"""


def test_a_zygote_takes_the_signals_that_its_parent_has_blocked() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], check=True, capture_output=True, text=True)
    assert done.stdout == "['SIGHUP']\n"
