"""The child's side of an attempt: run one task, in this process, to an `AttemptResult`.

`attempt.run_attempt` is the act itself and knows no worker; `child.main` wraps it for a forked child, and `fresh`
for a new interpreter. Everything here lives in zygotes: it never imports the store.
"""

from __future__ import annotations

from gnomon.runner.attempt import run_attempt

__all__ = ["run_attempt"]
