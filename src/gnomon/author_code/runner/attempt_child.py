"""A process that runs attempts: waits for an attempt, runs it, sends its result, and exits.

Everything that does not depend on the attempt is set up before the attempt arrives: a child that was forked ahead of
need then only opens its log file.
"""

from __future__ import annotations

import atexit
import faulthandler
import os
import socket
import sys
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import msgspec

from gnomon.author_code.processes import author_forks
from gnomon.author_code.processes.author_traceback import trim_error
from gnomon.author_code.processes.child_setup import hide_secrets
from gnomon.author_code.processes.exit_reasons import CHANNEL_LOST_EXIT
from gnomon.author_code.processes.kernel import TASK_OOM_SCORE, become_subreaper, raise_oom_score
from gnomon.author_code.processes.message_stream import FrameDecoder, FrameTooLarge
from gnomon.author_code.processes.process_title import change_title, set_title
from gnomon.author_code.processes.termination import kill_descendants
from gnomon.author_code.runner import attempt_log
from gnomon.author_code.runner.attempt import run_attempt
from gnomon.author_code.runner.attempt_protocol import AttemptChannel, ChannelLost, ChildDone, ChildEntered, ToChild
from gnomon.author_code.runner.attempt_results import error_line, result_without_run
from gnomon.author_code.runner.runner_log import RunnerLog
from gnomon.authoring.sdk.connections import channel, secrets_lookup
from gnomon.ground.log.secret_masks import hide
from gnomon.ground.log.uri_passwords import hide_uri_passwords
from gnomon.model.attempts import Attempt, AttemptResult
from gnomon.model.errors.authoring import DagNotFound
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import Instant
from gnomon.model.result_checks import check_result

log = RunnerLog("gnomon.task")

FindDag = Callable[[Attempt], Any]
"""Returns the DAG object of an attempt. An exception fails the attempt, with its traceback in the log."""


def set_up_task_interpreter(role: str) -> None:
    """Set up a new interpreter that runs tasks, or whose forks do: a stack dump at a crash, a raised OOM score, no secrets, a nice value, a title, logging.

    `role`: the role in the title of the process.
    """
    faulthandler.enable(file=2, all_threads=False)  # descriptor 2 is the log of the attempt by the time of a crash
    raise_oom_score(TASK_OOM_SCORE)
    cfg = hide_secrets()
    os.nice(cfg.integer("workers", "task_nice"))
    secrets_lookup.prefer_worker_options()
    set_title(role, cfg.home)
    attempt_log.configure_task_logging(
        cfg.text("logging", "logging_level"), print_times=cfg.boolean("logging", "print_times")
    )


def serve_attempts(sock: socket.socket, frame_decoder: FrameDecoder[ToChild], find_dag: FindDag) -> NoReturn:
    """Run the attempts that arrive on `sock`, one after the other, and exit."""
    status = 1
    try:
        _detach_from_parent()
        author_forks.claim_process()
        task_channel = AttemptChannel(sock, frame_decoder)
        channel.install_channel(task_channel)
        run_attempts(task_channel, find_dag)
        status = 0
    except (BrokenPipeError, ConnectionResetError):
        status = 0  # the worker is gone: the result has no receiver
    except ChannelLost:
        status = CHANNEL_LOST_EXIT  # the worker writes the reason into the log
    except BaseException as error:
        author_forks.end_fork(error)
        log.exception("the child process failed outside its task")
    finally:
        os._exit(status)


def dag_finder(dags: Mapping[str, Any]) -> FindDag:
    """A FindDag for the DAGs of a file. It raises DagNotFound."""

    def find(attempt: Attempt) -> Any:
        try:
            return dags[attempt.run.dag_id]
        except KeyError:
            raise DagNotFound(
                f"{attempt.file} no longer defines DAG {attempt.run.dag_id!r}; it defines {sorted(dags) or 'none'}"
            ) from None

    return find


def _detach_from_parent() -> None:
    """Lead a process group, adopt orphaned descendants, and drop the exit hooks and the random state of the parent.

    A process group is enough for `termination.py`. A session of its own would be a scheduling group of its own for Linux (autogroup): each task would
    get as much processor time as the scheduler and the api-server together.
    """
    os.setpgid(0, 0)
    become_subreaper()
    atexit._clear()
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed()


def run_attempts(task_channel: AttemptChannel, find_dag: FindDag) -> None:
    """Run the attempts of the channel, one after the other; returns after the last that this process may run, or when the worker has closed the channel."""
    while (message := task_channel.receive_attempt()) is not None:
        attempt = message.attempt
        change_title(f"task {_task_label(attempt)}")
        result = _run(attempt, task_channel, find_dag)
        attempt_log.flush_output()
        if result.reason:
            result = msgspec.structs.replace(result, reason=hide_uri_passwords(hide(result.reason)))
        try:
            task_channel.send(ChildDone(result=result))
        except FrameTooLarge as error:
            task_channel.send(
                ChildDone(result=_failed_result(attempt, f"its XComs do not fit into one message: {error}"))
            )
        except (
            UnicodeEncodeError,
            OverflowError,
            TypeError,
        ):  # a value that no message carries: the failure names its field
            log.exception("the result of the task cannot be sent")
            task_channel.send(ChildDone(result=check_result(result)))
        killed = kill_descendants()
        if killed:
            log.warning("%d process(es) that the task had left behind were killed", killed)
        attempt_log.restore_output()
        if attempt.attempts_per_child <= 1:
            return
        _forget_attempt()


def _forget_attempt() -> None:
    """Prepare the process for its next attempt: the lineage that hooks reported is of the last one."""
    if "gnomon.author_code.loading.hook_lineage" in sys.modules:
        from gnomon.author_code.loading.hook_lineage import forget_lineage  # start-up cost: few tasks report lineage

        forget_lineage()


def _task_label(attempt: Attempt) -> str:
    if attempt.callback is not None:
        return f"{attempt.run.dag_id}:{attempt.callback.kind}"
    index = "" if attempt.map_index == UNMAPPED else f"[{attempt.map_index}]"
    return f"{attempt.run.dag_id}.{attempt.task_id}{index}"


def _run(attempt: Attempt, task_channel: AttemptChannel, find_dag: FindDag) -> AttemptResult:
    try:
        attempt_log.redirect_output(attempt.log)
    except OSError as error:
        return _failed_result(attempt, f"the log file {attempt.log} cannot be written: {error.strerror}")

    def report_entered(at: Instant) -> None:
        task_channel.send(ChildEntered(at=at))

    try:
        dag = find_dag(attempt)
        author_forks.end_fork()  # the file has forked at its import
    except BaseException as error:  # the import of the DAG file, in a new interpreter
        author_forks.end_fork(error)
        log.error("the DAG could not be loaded from %s", attempt.file, exc_info=trim_error(error))
        return _failed_result(attempt, error_line(error))
    if attempt.callback is not None:
        from gnomon.author_code.runner.callback_attempt import (
            run_callback_attempt,  # start-up cost: most attempts are tasks
        )

        return run_callback_attempt(dag, attempt, task_channel, report_entered)
    return run_attempt(dag, attempt, task_channel, report_entered)


def _failed_result(attempt: Attempt, reason: str) -> AttemptResult:
    return result_without_run(attempt, "failed", reason, entered=True)
