"""Host processes from the parent's side: output that explains an exit, and nothing left over when the machine refuses."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

import pytest

from gnomon.author_code.processes import host_process
from gnomon.author_code.processes.host_process import HostProcess
from gnomon.author_code.processes.task_api_messages import TaskApiResponse
from gnomon.ground.config import environment, load_config

WAIT_S = 20.0


def environ_with(folder: Path, source: str) -> Mapping[str, str]:
    """The environment in which `-m hosted` runs this source."""
    (folder / "hosted.py").write_text(source)
    return {**environment(), "PYTHONPATH": os.pathsep.join([str(folder), environment().get("PYTHONPATH", "")])}


def test_the_exit_code_and_the_end_of_the_output_are_collected(tmp_path: Path) -> None:
    source = f"print('x' * {host_process.OUTPUT_TAIL_BYTES})\nprint('the last line')\nraise SystemExit(3)\n"
    host: HostProcess[TaskApiResponse] = HostProcess(
        "hosted", environ_with(tmp_path, source), TaskApiResponse, captures_output=True
    )
    host.wait(WAIT_S)
    code, output = host.kill_and_collect()
    assert code == 3
    assert output.endswith("the last line\n") and len(output) == host_process.OUTPUT_TAIL_BYTES


def test_a_stack_dump_names_the_line_at_which_the_process_was(tmp_path: Path) -> None:
    source = "import faulthandler, time\nfaulthandler.enable()\nprint('', flush=True)\nopen(__file__ + '.up', 'w').close(); time.sleep(600)\n"
    host: HostProcess[TaskApiResponse] = HostProcess(
        "hosted", environ_with(tmp_path, source), TaskApiResponse, captures_output=True
    )
    mark = tmp_path / "hosted.py.up"
    for _ in range(int(WAIT_S * 100)):
        if mark.exists():
            break
        host.wait(0.01)
    host.request_stack_dump()
    host.wait(WAIT_S)
    code, output = host.kill_and_collect()
    assert code == -6 and 'hosted.py", line 4 in <module>' in output  # the file is there before its line has ended


def test_a_refused_process_leaves_no_descriptor_open(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> NoReturn:
        raise OSError(errno.EAGAIN, "no more processes")

    monkeypatch.setattr(os, "posix_spawn", refuse)
    before = sorted(os.listdir("/proc/self/fd"))
    with pytest.raises(OSError, match="no more processes"):
        HostProcess("hosted", {}, TaskApiResponse, captures_output=True)
    assert sorted(os.listdir("/proc/self/fd")) == before


def test_the_environment_of_a_host_names_the_folders_and_no_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GNOMON__DATABASE__SQL_ALCHEMY_CONN", "postgresql://user:secret@host/db")
    cfg = load_config({"GNOMON__DATABASE__SQL_ALCHEMY_CONN": "postgresql://user:secret@host/db"}, tmp_path)
    environ = host_process.build_host_environment(cfg, {"LIMIT_S": "1.5"})
    assert environ["GNOMON_HOME"] == str(tmp_path) and environ["LIMIT_S"] == "1.5"
    assert environ["GNOMON__CORE__DAGS_FOLDER"] == str(cfg.dags_folder)
    assert not [name for name, value in environ.items() if "secret" in value]


def test_a_process_that_ends_after_it_was_given_up_is_reaped_by_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine a killed process takes longer than REAP_S to end."""
    environ = environ_with(tmp_path, "import time\ntime.sleep(600)\n")
    late: HostProcess[TaskApiResponse] = HostProcess("hosted", environ, TaskApiResponse)
    with monkeypatch.context() as busy:
        busy.setattr(os, "waitpid", lambda _pid, _options: (0, 0))
        busy.setattr(host_process, "REAP_S", 0.0)
        assert late.kill_and_collect().code == -signal.SIGKILL
    os.waitid(os.P_PID, late.pid, os.WEXITED | os.WNOWAIT)
    HostProcess("hosted", environ, TaskApiResponse).kill_and_collect()
    with pytest.raises(ChildProcessError):
        os.waitid(os.P_PID, late.pid, os.WEXITED | os.WNOHANG)
