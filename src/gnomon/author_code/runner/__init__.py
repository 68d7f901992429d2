"""The child's side of an attempt: runs one task in this process and makes an `AttemptResult`.

Open `attempt.py` first: `run_attempt` runs the task and knows no worker. `attempt_child.py` wraps it for a forked child,
`interpreter_main.py` for a new interpreter; both talk to the worker by `attempt_protocol.py`. `attempt_results.py` holds the
table from exceptions to outcomes, `deferral.py` and `dag_run_trigger.py` the exceptions that are requests,
`attempt_log.py` the log file. Zygotes import this package, so it never imports the store.
"""

from __future__ import annotations

from gnomon.author_code.runner.attempt import run_attempt

__all__ = ["run_attempt"]
