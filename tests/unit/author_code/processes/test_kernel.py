"""What Linux tells of a family of processes."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.forked import another_process
from tests.patience import PATIENCE_S

from gnomon.author_code.processes import kernel, termination
from gnomon.author_code.processes.process_title import name_service

NOBODY = 65534


@pytest.fixture
def defunct() -> Iterator[int]:
    """A child that has ended and was not reaped."""
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    yield pid
    os.waitpid(pid, 0)


@pytest.fixture
def living() -> Iterator[int]:
    """A child that lives, and its own child, which is not ours."""
    reads, writes = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        if os.fork() == 0:
            os.write(writes, b"!")
        signal.alarm(int(PATIENCE_S))
        signal.pause()
        os._exit(1)
    assert os.read(reads, 1) == b"!"
    os.close(reads)
    os.close(writes)
    yield pid
    termination.kill_with_group(pid)
    os.waitpid(pid, 0)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="/proc tells nothing here")
def test_children_are_found_by_either_way_those_that_have_ended_too(defunct: int, living: int) -> None:
    assert {defunct, living} <= set(kernel.own_children())
    assert set(kernel.scan_own_children()) == set(kernel.own_children())


def test_a_kernel_without_a_list_of_children_is_asked_for_each_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "_CHILDREN", "/proc/nowhere/{pid}")
    monkeypatch.setattr(kernel, "scan_own_children", lambda: [7])
    assert kernel.own_children() == [7]


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="starts processes of another user")


def _become_nobody() -> None:
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    kernel._call_prctl(kernel._PR_SET_DUMPABLE, 1)  # as after the start of a program


def _read_as_nobody(path: str) -> bool:
    return (
        subprocess.run(
            ["cat", path], user=NOBODY, group=NOBODY, extra_groups=[], capture_output=True, check=False, timeout=60
        ).returncode
        == 0
    )


@needs_root
def test_another_process_of_the_user_reads_no_environment_of_a_service() -> None:
    with another_process(_become_nobody) as pid:
        assert _read_as_nobody(f"/proc/{pid}/environ")
    with another_process(lambda: (_become_nobody(), name_service("test", "/home"))) as pid:
        assert not _read_as_nobody(f"/proc/{pid}/environ")
        assert Path(f"/proc/{pid}/comm").read_text() == "gnomon-test\n"
        for listing in ("fd", "map_files"):
            assert (
                subprocess.run(
                    ["ls", f"/proc/{pid}/{listing}"],
                    user=NOBODY,
                    group=NOBODY,
                    extra_groups=[],
                    capture_output=True,
                    check=False,
                    timeout=60,
                ).returncode
                != 0
            )


@needs_root
def test_a_protected_process_still_names_itself_changes_its_score_and_opens_its_descriptors(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    (tmp_path / "file").chmod(0o644)
    opened = os.open(tmp_path / "file", os.O_RDONLY)

    def do() -> None:
        _become_nobody()
        kernel.protect_memory()
        kernel.name_process("named")
        kernel.raise_oom_score(600)
        assert kernel.is_memory_protected()
        assert Path(f"/dev/fd/{opened}").read_text() == "text"  # as the uploader opens logs

    with another_process(do) as pid:
        assert (Path(f"/proc/{pid}/comm").read_text(), Path(f"/proc/{pid}/oom_score_adj").read_text()) == (
            "named\n",
            "600\n",
        )
    os.close(opened)
