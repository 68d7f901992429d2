"""`python -m gnomon.runner.interpreter_main`: one attempt in a new interpreter, for files that do not survive a fork.

The socket to the worker is descriptor 3. The file is imported after the log is open, so that a failing import is told
there.
"""

from __future__ import annotations

import faulthandler
import signal
from typing import Any, NoReturn

from gnomon.config import current_config, set_current_config
from gnomon.loading.dagfile import load_dag_file
from gnomon.model.attempts import Attempt
from gnomon.processes.child_setup import inherited_socket
from gnomon.processes.kernel import TASK_OOM_SCORE, die_with_parent, raise_oom_score
from gnomon.processes.process_title import set_title
from gnomon.runner import attempt_child, attempt_log
from gnomon.runner.attempt_protocol import create_decoder


def main() -> NoReturn:
    """Never returns: the process ends with its attempt, or with its worker."""
    die_with_parent(signal.SIGKILL)
    faulthandler.enable(file=2, all_threads=False)  # a crash inside a library leaves its stack in the log of the attempt
    raise_oom_score(TASK_OOM_SCORE)
    options = current_config().for_author_code()
    set_current_config(options)
    set_title("task process", options.home)
    attempt_log.configure_task_logging(options.text("logging", "logging_level"))
    attempt_child.serve_attempts(inherited_socket(), create_decoder(), _import_and_find_dag)


def _import_and_find_dag(attempt: Attempt) -> Any:
    return attempt_child.dag_finder(load_dag_file(attempt.file).dags)(attempt)


if __name__ == "__main__":
    main()
