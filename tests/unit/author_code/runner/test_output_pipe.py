"""The log of an attempt has no secret, whoever writes it, and has everything else in the order in which it was written."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.ordinary

SCRIPT = r"""
import faulthandler, logging, os, subprocess, sys, time
from gnomon.ground.log.secret_masks import add_secrets
from gnomon.author_code.runner import attempt_log

def program(*pieces):
    code = "import sys, time\nfor piece in sys.argv[1:]:\n    sys.stdout.write(piece); sys.stdout.flush(); time.sleep(float(sys.stdin.readline()))"
    return subprocess.run([sys.executable, "-c", code, *pieces], input="0\n" * (len(pieces) - 1) + "0\n", text=True, check=True)

attempt_log.configure_task_logging("INFO")
attempt_log.redirect_output(sys.argv[1])
print("before the first secret")
add_secrets(["hunter2-and-more"])
print("1 hunter2-and-more")
for character in "2 hunter2-and-more\n":
    print(character, end="", flush=True)
program("3 hunt", "er2-and", "-more\n")
logging.getLogger("author").warning("4 hunter2-and-more")
sys.stdout.buffer.write(b"5 hunter2-and-more \xff\n")
sys.stdout.buffer.flush()
print("6 hunter2-and-more", file=sys.stderr)
os.system("echo 7 hunter2-and-more")
if os.fork() == 0:
    print("8 hunter2-and-more")
    attempt_log.flush_output()
    os._exit(0)
os.wait()
print("9 hunter2", end="", flush=True)
time.sleep(1)
print("-and-more")
saved, (reader, writer) = os.dup(1), os.pipe()
os.dup2(writer, 1)
print("captured")
os.dup2(saved, 1)
print("10", os.read(reader, 100))
if sys.argv[2] == "ends":
    attempt_log.flush_output()
    attempt_log.restore_output()
    os.write(1, b"after the attempt\n")
else:
    print("11 before the crash")
    faulthandler._sigsegv()
"""
EXPECTED = [
    "before the first secret",
    "1 ***",
    "2 ***",
    "3 ***",
    "4 ***",
    "5 *** \\xff",
    "6 ***",
    "7 ***",
    "8 ***",
    "9 hunter2***",
    "10 b'captured\\n'",
]


def read_log(folder: Path, end: str) -> list[str]:
    """The lines of the log of the script, without the time of log records."""
    file = folder / "attempt.log"
    subprocess.run(
        [sys.executable, "-c", SCRIPT, str(file), end], timeout=PATIENCE_S, check=end == "ends", capture_output=True
    )
    lines = file.read_bytes().decode(errors="backslashreplace").splitlines()
    return [line.partition("WARNING  ")[2] or line for line in lines]


def test_all_output_is_searched_for_secrets_and_keeps_its_order(tmp_path: Path) -> None:
    assert read_log(tmp_path, "ends") == [*EXPECTED, "after the attempt"]


FORKS = r"""
import os, sys
from gnomon.ground.log.secret_masks import add_secrets
from gnomon.author_code.runner import attempt_log

attempt_log.configure_task_logging("INFO")
attempt_log.redirect_output(sys.argv[1])
add_secrets(["hunter2-and-more"])
sys.setswitchinterval(60)
for number in range(100):
    os.write(1, b"%d of a program\n" % number)
    if os.fork() == 0:
        print(number, "of a fork")
        attempt_log.flush_output()
        os._exit(0)
    os.wait()
attempt_log.flush_output()
"""


def test_what_was_written_before_a_fork_comes_before_what_the_fork_writes(tmp_path: Path) -> None:
    file = tmp_path / "attempt.log"
    subprocess.run([sys.executable, "-c", FORKS, str(file)], timeout=PATIENCE_S, check=True, capture_output=True)
    assert file.read_text().splitlines() == [
        f"{number} of a {who}" for number in range(100) for who in ("program", "fork")
    ]


def test_the_log_is_complete_after_a_crash(tmp_path: Path) -> None:
    lines = read_log(tmp_path, "crashes")
    assert lines[: len(EXPECTED) + 1] == [*EXPECTED, "11 before the crash"]
    assert "Fatal Python error: Segmentation fault" in lines
