from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from gnomon.storage.remote_logs.upload_spool import SPOOLS, UploadSpool, list_unsent_logs

KILLED = """
import os, signal, sys
from pathlib import Path
from gnomon.storage.remote_logs.upload_spool import UploadSpool
spool = UploadSpool(Path(sys.argv[1]))
spool.mark_open("of/a_running_task.log")
spool.mark_open("of/an_ended_task.log")
spool.mark_ready("of/an_ended_task.log")
print(spool.spool_id, flush=True)
if sys.argv[2] == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
sys.stdin.read()
"""


def _start(folder: Path, how: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(folder), how], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline()
    return process


def test_a_log_is_ready_once_its_attempt_has_ended(tmp_path: Path) -> None:
    spool = UploadSpool(tmp_path)
    spool.mark_open("a/1.log")
    spool.mark_open("a/2.log")
    assert (spool.list_ready(), list_unsent_logs(tmp_path)) == ([], {"a/1.log", "a/2.log"})
    spool.mark_ready("a/1.log")
    spool.mark_ready("a/1.log")
    assert UploadSpool(tmp_path, spool.spool_id).list_ready() == ["a/1.log"]
    spool.remove("a/1.log")
    assert (spool.list_ready(), list_unsent_logs(tmp_path)) == ([], {"a/2.log"})
    spool.close()


def test_the_marks_of_a_killed_worker_are_taken_over_open_ones_too(tmp_path: Path) -> None:
    with _start(tmp_path, "killed") as killed:
        killed.wait()
    spool = UploadSpool(tmp_path)
    assert spool.take_over() == 2
    assert sorted(spool.list_ready()) == ["of/a_running_task.log", "of/an_ended_task.log"]
    assert [folder.name for folder in (tmp_path / SPOOLS).iterdir()] == [spool.spool_id]
    spool.close()


def test_the_marks_of_a_worker_that_lives_are_left_alone(tmp_path: Path) -> None:
    spool = UploadSpool(tmp_path)
    with _start(tmp_path, "lives") as lives:
        assert spool.take_over() == 0
        assert spool.list_ready() == []
        lives.kill()
    assert spool.take_over() == 2
    spool.close()
