"""`python -m gnomon.author_code.runner.interpreter_main`: one attempt in a new interpreter, for files that do not survive a fork.

The socket to the worker is descriptor 3. The file is imported after the log is opened, so that the log shows a failing
import.
"""

from __future__ import annotations

import signal
from typing import Any, NoReturn

from gnomon.author_code.loading.bundles.bundle_loader import locate_in_version
from gnomon.author_code.loading.dagfile import load_dag_file
from gnomon.author_code.processes.child_setup import inherited_socket
from gnomon.author_code.processes.kernel import die_with_parent
from gnomon.author_code.runner import attempt_child
from gnomon.author_code.runner.attempt_protocol import create_decoder
from gnomon.model.attempts import Attempt


def main() -> NoReturn:
    """Never returns: the process ends with its attempt, or with its worker."""
    die_with_parent(signal.SIGKILL)
    attempt_child.set_up_task_interpreter("task process")
    attempt_child.serve_attempts(inherited_socket(), create_decoder(), _import_and_find_dag)


def _import_and_find_dag(attempt: Attempt) -> Any:
    file = locate_in_version(attempt.file, attempt.bundle_name, attempt.run.bundle_version)
    return attempt_child.dag_finder(load_dag_file(file).dags)(attempt)


if __name__ == "__main__":
    main()
