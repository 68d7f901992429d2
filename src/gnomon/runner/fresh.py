"""`python -m gnomon.runner.fresh`: one attempt in a new interpreter, for files that do not survive a fork.

The socket to the worker is descriptor 3. The file is imported after the log is open, so that a failing import is told
there.
"""

from __future__ import annotations

import faulthandler
import signal
from typing import Any, NoReturn

from gnomon.config import ambient, set_ambient
from gnomon.loading.dagfile import load
from gnomon.model.facts import Attempt
from gnomon.processes.interpreters import given_socket
from gnomon.processes.kernel import TASK_OOM_SCORE, die_with_parent, raise_oom_score
from gnomon.processes.titles import set_title
from gnomon.runner import child, logs
from gnomon.runner.channel import new_splitter


def main() -> NoReturn:
    """Never returns: the process ends with its attempt, or with its worker."""
    die_with_parent(signal.SIGKILL)
    faulthandler.enable(file=2, all_threads=False)  # a crash inside a library leaves its stack in the log of the attempt
    raise_oom_score(TASK_OOM_SCORE)
    options = ambient().for_author_code()
    set_ambient(options)
    set_title("task process", options.home)
    logs.prepare(options.text("logging", "logging_level"))
    child.main(given_socket(), new_splitter(), _load)


def _load(attempt: Attempt) -> Any:
    return child.dag_of(load(attempt.file).dags)(attempt)


if __name__ == "__main__":
    main()
