"""What `ps` and `top` show of a process: `gnomon: ROLE [HOME]`. A title never holds an option, an address or an argument of a task."""

from __future__ import annotations

import os

from setproctitle import setproctitle

from gnomon.processes.kernel import name_process

_home = ""


def set_title(role: str, home: str | os.PathLike[str]) -> None:
    """The command line of this process reads `gnomon: role [home]`. It takes the place of arguments and environment in /proc."""
    global _home
    _home = str(home)
    setproctitle(f"gnomon: {role} [{_home}]")


def change_title(role: str) -> None:
    """The same for a fork of a process that has a title: 40 to 60 microseconds, most of them for pages that are no longer shared."""
    setproctitle(f"gnomon: {role} [{_home}]")


def name_service(name: str, home: str | os.PathLike[str]) -> None:
    """This process has the title of a service, and `gnomon-name` is its short name, of 15 bytes, where there is one."""
    set_title(name, home)
    name_process(f"gnomon-{name}")
