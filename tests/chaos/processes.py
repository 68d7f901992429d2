"""The processes of one installation, found by the home in their title or environment, and their roles."""

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
ROLES = {
    "standalone": "supervisor",
    "task": "task child",
    "zygote": "file zygote",
    "base zygote": "base zygote",
    "parse server": "parse server",
    "parse": "parse child",
    "trigger host": "trigger host",
    "worker": "worker",
    "dag-processor": "dag-processor",
    "scheduler": "scheduler",
    "api-server": "api-server",
}
"""Beginning of a process title to the role; the longest match counts."""


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
    """Every process whose title or environment names this home, whoever its parent is now."""
    found = (_look(int(name), home) for name in os.listdir("/proc") if name.isdigit())
    return {process.pid: process for process in found if process is not None}


def roles(home: Path) -> dict[str, list[int]]:
    """Process ids by role, without commands of the CLI."""
    processes = of_home(home)
    found: dict[str, list[int]] = {}
    for process in processes.values():
        role = _role(process)
        if role is not None:
            found.setdefault(role, []).append(process.pid)
    return found


def kill(pid: int, number: int = signal.SIGKILL) -> bool:
    """Send the signal to the process; False when the process has ended."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


def until(what: Callable[[], T], why: str, limit_s: float = PATIENCE_S) -> T:
    """Poll until the answer is true, and return it; AssertionError after `limit_s` seconds.

    A pause is as long as the look before it, and 0.03 s at least: to look at all processes takes long on a busy machine.
    """
    asked_at = time.monotonic()
    deadline = asked_at + limit_s
    while not (found := what()):
        now = time.monotonic()
        assert now < deadline, f"waited {limit_s:g} s for {why}"
        time.sleep(max(0.03, now - asked_at))
        asked_at = time.monotonic()
    return found


def _role(process: Process) -> str | None:
    named = process.command.removeprefix("gnomon: ")
    if named == process.command:
        return None
    return ROLES.get(max((role for role in ROLES if f"{named} ".startswith(f"{role} ")), key=len, default=""))


def _look(pid: int, home: Path) -> Process | None:
    folder = Path(f"/proc/{pid}")
    try:
        command = (folder / "cmdline").read_bytes().rstrip(b"\0").replace(b"\0", b" ").decode(errors="replace")
        named = command.startswith("gnomon: ") and command.endswith(f"[{home}]")
        if not named and f"GNOMON_HOME={home}\0".encode() not in (folder / "environ").read_bytes() + b"\0":
            return None
        comm, _, rest = (folder / "stat").read_text().partition("(")[2].rpartition(")")
        fields = rest.split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else Process(pid, int(fields[1]), int(fields[3]), fields[0], comm, command)
