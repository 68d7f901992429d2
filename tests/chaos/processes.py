"""The processes of one installation, found by the home in their environment, and what each of them is."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from tests.patience import PATIENCE_S

T = TypeVar("T")
SERVICES = {
    "gnomon-worker": "worker", "gnomon-dag-proc": "dag-processor", "gnomon-schedule": "scheduler",
    "gnomon-api-serv": "api-server", "gnomon-ticket-w": "ticket-watch",
}
"""What `ps` shows of a service's name, to the service."""


@dataclass(frozen=True, slots=True)
class Process:
    """One process that is not defunct."""

    pid: int
    parent: int
    session: int
    state: str
    comm: str
    command: str


def of_home(home: Path) -> dict[int, Process]:
    """Every process whose environment names this home, whoever its parent is now."""
    mark = f"GNOMON_HOME={home}\0".encode()
    found = (_look(int(name), mark) for name in os.listdir("/proc") if name.isdigit())
    return {process.pid: process for process in found if process is not None}


def roles(home: Path) -> dict[str, list[int]]:
    """Process ids by what the process is; commands of the CLI are not among them."""
    processes = of_home(home)
    found: dict[str, list[int]] = {}
    for process in processes.values():
        role = _role(process, processes)
        if role is not None:
            found.setdefault(role, []).append(process.pid)
    return found


def kill(pid: int, number: int = signal.SIGKILL) -> bool:
    """The process got the signal; False when it is gone."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


def until(what: Callable[[], T], why: str, limit_s: float = PATIENCE_S) -> T:
    """The first true answer; AssertionError after `limit_s`."""
    deadline = time.monotonic() + limit_s
    while not (found := what()):
        assert time.monotonic() < deadline, f"waited {limit_s:g} s for {why}"
        time.sleep(0.03)
    return found


def _role(process: Process, processes: dict[int, Process]) -> str | None:
    parent = processes.get(process.parent)
    if "gnomon.worker.zygote" in process.command:
        if process.session == process.pid:
            return "task child"
        return "file zygote" if parent is not None and "gnomon.worker.zygote" in parent.command else "base zygote"
    if "gnomon.runner.fresh" in process.command:
        return "task child"
    if process.comm == "gnomon-dag-proc" and parent is not None and parent.comm == "gnomon-dag-proc":
        above = processes.get(parent.parent)
        return "parse child" if above is not None and above.comm == "gnomon-dag-proc" else "parse server"
    if process.comm in SERVICES:
        return SERVICES[process.comm]
    return "supervisor" if " standalone" in process.command else None


def _look(pid: int, mark: bytes) -> Process | None:
    folder = Path(f"/proc/{pid}")
    try:
        if mark not in (folder / "environ").read_bytes() + b"\0":
            return None
        comm, _, rest = (folder / "stat").read_text().partition("(")[2].rpartition(")")
        fields = rest.split()
        command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return None
    return None if fields[0] in "ZX" else Process(pid, int(fields[1]), int(fields[3]), fields[0], comm, command)
