from __future__ import annotations

import logging
import os
import select
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.patience import PATIENCE_S

from gnomon.authoring.operators.subprocess_hook import SubprocessHook
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.model.errors.authoring import AirflowException, AirflowSkipException
from gnomon.operators import BashOperator

pytestmark = pytest.mark.ordinary


def test_the_last_line_of_output_is_returned(dag: DAG, execute: Callable[..., Any]) -> None:
    assert execute(BashOperator(task_id="t", bash_command="echo first; echo {{ ds }} >&2")) == "2024-03-04"


def test_a_command_without_output_returns_the_empty_text(dag: DAG, execute: Callable[..., Any]) -> None:
    assert execute(BashOperator(task_id="t", bash_command="true")) == ""


def test_a_non_zero_exit_code_fails(dag: DAG, execute: Callable[..., Any]) -> None:
    with pytest.raises(AirflowException, match="exit code 3"):
        execute(BashOperator(task_id="t", bash_command="exit 3"))


@pytest.mark.parametrize(("codes", "code"), [(99, 99), ([5, 6], 6)])
def test_an_exit_code_to_skip_on_skips(dag: DAG, execute: Callable[..., Any], codes: Any, code: int) -> None:
    with pytest.raises(AirflowSkipException):
        execute(BashOperator(task_id="t", bash_command=f"exit {code}", skip_on_exit_code=codes))


def test_without_codes_to_skip_on_99_fails(dag: DAG, execute: Callable[..., Any]) -> None:
    with pytest.raises(AirflowException, match="exit code 99"):
        execute(BashOperator(task_id="t", bash_command="exit 99", skip_on_exit_code=None))


def test_env_replaces_the_environment(dag: DAG, execute: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTSIDE", "seen")
    monkeypatch.setenv("AIRFLOW_CTX_DAG_ID", "made_here")
    command = 'echo "$MINE-$OUTSIDE-$AIRFLOW_CTX_DAG_ID"'
    assert execute(BashOperator(task_id="a", bash_command=command, env={"MINE": "{{ ds }}"})) == "2024-03-04--made_here"
    assert (
        execute(BashOperator(task_id="b", bash_command=command, env={"MINE": "x"}, append_env=True))
        == "x-seen-made_here"
    )
    assert execute(BashOperator(task_id="c", bash_command=command)) == "-seen-made_here"


def test_the_command_runs_in_the_folder_given_or_in_one_of_its_own(
    dag: DAG, execute: Callable[..., Any], tmp_path: Path
) -> None:
    assert execute(BashOperator(task_id="a", bash_command="pwd -P", cwd=str(tmp_path))) == str(tmp_path.resolve())
    own = execute(BashOperator(task_id="b", bash_command="pwd"))
    assert own != os.getcwd()
    assert not os.path.exists(own)


def test_a_folder_that_is_not_there_is_named(dag: DAG, execute: Callable[..., Any], tmp_path: Path) -> None:
    with pytest.raises(AirflowException, match="nowhere"):
        execute(BashOperator(task_id="a", bash_command="true", cwd=str(tmp_path / "nowhere")))
    (tmp_path / "file").touch()
    with pytest.raises(AirflowException, match="must be a directory"):
        execute(BashOperator(task_id="b", bash_command="true", cwd=str(tmp_path / "file")))


def test_the_output_may_be_processed_and_decoded(dag: DAG, execute: Callable[..., Any]) -> None:
    task = BashOperator(
        task_id="t", bash_command="printf 'caf\\351'", output_encoding="latin-1", output_processor=str.upper
    )
    assert execute(task) == "CAFÉ"


def test_a_script_beside_the_dag_is_read_and_rendered(tmp_path: Path, execute: Callable[..., Any]) -> None:
    (tmp_path / "say.sh").write_text("echo script on {{ ds }}\n")
    with DAG("d", schedule=None, template_searchpath=str(tmp_path)):
        task = BashOperator(task_id="t", bash_command="say.sh")
    assert execute(task) == "script on 2024-03-04"


def test_a_command_that_is_no_text_is_refused_with_its_line(dag: DAG) -> None:
    with pytest.raises(TypeError, match=r"bash_command of task 't' \(.*test_bash.py:\d+\) must be text"):
        BashOperator(task_id="t", bash_command=["echo"])


def test_on_kill_ends_the_whole_process_group(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "ready")
    hook = SubprocessHook()
    codes: list[int] = []
    command = ["bash", "-c", f"sleep 1000 & echo $! > {tmp_path / 'ready'}; wait"]
    running = threading.Thread(target=lambda: codes.append(hook.run_command(command).exit_code))
    running.start()
    grandchild = int((tmp_path / "ready").read_text())
    end_of_grandchild = os.pidfd_open(grandchild)
    hook.send_sigterm()
    running.join(timeout=PATIENCE_S)
    assert codes == [-15]
    assert select.select([end_of_grandchild], [], [], PATIENCE_S)[0], "the grandchild lives"
    os.close(end_of_grandchild)


def test_a_term_trap_may_write_after_a_timeout_has_ended_the_call(tmp_path: Path) -> None:
    class Timeout(BaseException):
        pass

    class Interrupting(logging.Handler):
        """Raises, as a signal handler does, when the command has written its first line."""

        def emit(self, record: logging.LogRecord) -> None:
            if record.getMessage() == "started":
                raise Timeout

    logger = logging.getLogger("hook")
    logger.setLevel(logging.INFO)
    handler = Interrupting()
    logger.addHandler(handler)
    hook = SubprocessHook(logger)
    cleaned = tmp_path / "cleaned"
    with pytest.raises(Timeout):
        hook.run_command(
            [
                "bash",
                "-c",
                f"trap 'echo cleaning; touch {cleaned}; exit 7' TERM; echo started; while true; do sleep 0.05; done",
            ]
        )
    logger.removeHandler(handler)
    hook.send_sigterm()
    assert hook.sub_process is not None
    assert hook.sub_process.wait(PATIENCE_S) == 7
    assert cleaned.exists()
    assert hook.sub_process.stdout is not None
    hook.sub_process.stdout.close()


def test_on_kill_while_the_command_starts_ends_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    hook = SubprocessHook()
    started = subprocess.Popen

    def told_while_starting(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:
        process = started(*arguments, **options)
        hook.send_sigterm()
        return process

    monkeypatch.setattr(subprocess, "Popen", told_while_starting)
    assert hook.run_command(["sleep", "1000"]).exit_code == -15


def test_on_kill_without_a_command_does_nothing(dag: DAG) -> None:
    BashOperator(task_id="t", bash_command="true").on_kill()
