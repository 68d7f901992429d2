"""The title of a process in `ps` and `top`: `gnomon: ROLE [HOME]`. It never holds an option, an address or an argument of a task."""

from __future__ import annotations

import os

from setproctitle import setproctitle

from gnomon.author_code.processes.kernel import name_process, protect_memory

_home = ""


def set_title(role: str, home: str | os.PathLike[str]) -> None:
    """Set the title of this process to `gnomon: role [home]`. It replaces the arguments and the environment in /proc."""
    global _home
    _home = str(home)
    setproctitle(f"gnomon: {role} [{_home}]")


def change_title(role: str) -> None:
    """Set the role in the title of a fork of a process with a title. Takes 40 to 60 microseconds, mostly for copied pages."""
    setproctitle(f"gnomon: {role} [{_home}]")


def name_service(name: str, home: str | os.PathLike[str]) -> None:
    """Set the title of a service, and on Linux the short name `gnomon-name`, of which the kernel keeps 15 bytes. Its memory is protected from now on."""
    set_title(name, home)
    name_process(f"gnomon-{name}")
    protect_memory()
