"""What `gnomon doctor` checks of the machine: clock, time zones, disk, permissions, limits."""

from __future__ import annotations

import os
import re
import resource
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from gnomon.ground.clock import Clock
from gnomon.ground.config import Config
from gnomon.model.instants import SECOND
from gnomon.rules.timetables.wall_clock.zones import named_zone, tzdata_version

OPEN_FILES_MIN = 1024
PROCESSES_MIN = 256
DISK_WARN_BYTES = 1024**3
DISK_FAIL_BYTES = 64 * 1024**2
YEAR_MIN = 2026
"""A clock that shows an earlier year was never set."""
TZDATA_AGE_YEARS = 2
_SECRET_FILES = {
    "fernet.key": None,
    "gnomon.toml": re.compile(rb"^\s*(secret|url|\w*password|fernet_key)\s*=|://[^/\s]+:[^/\s]+@", re.MULTILINE),
}
"""Files with secrets, and what a secret in them looks like; None: the whole file is one."""


class CheckVerdict(StrEnum):
    """The verdict of one check."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class CheckRow:
    """One line: what was checked, the verdict, what was found, and what to do."""

    check: str
    verdict: str
    found: str
    remedy: str | None = None


def ok(check: str, finding: str) -> CheckRow:
    """A check without a complaint."""
    return CheckRow(check, CheckVerdict.OK.value, finding)


def warn(check: str, finding: str, remedy: str) -> CheckRow:
    """Gnomon works, and something will become a problem."""
    return CheckRow(check, CheckVerdict.WARN.value, finding, remedy)


def fail(check: str, finding: str, remedy: str) -> CheckRow:
    """Gnomon does not work, or loses data."""
    return CheckRow(check, CheckVerdict.FAIL.value, finding, remedy)


def check_machine(cfg: Config, clock: Clock) -> Iterator[CheckRow]:
    """The checks of this machine and of the folders of this home."""
    now_s = clock.now() / SECOND
    yield check_clock(now_s, time.clock_getres(time.CLOCK_MONOTONIC))
    yield check_time_zones(tzdata_version(), time.gmtime(now_s).tm_year)
    for folder in dict.fromkeys((cfg.home, cfg.logs_folder)):
        yield check_disk(folder)
    yield from check_permissions(cfg.home)
    yield check_limit(
        "open files",
        resource.getrlimit(resource.RLIMIT_NOFILE)[0],
        OPEN_FILES_MIN,
        "ulimit -n 65536, or LimitNOFILE=65536 of the service",
    )
    yield check_limit(
        "processes",
        resource.getrlimit(resource.RLIMIT_NPROC)[0],
        PROCESSES_MIN,
        "ulimit -u 4096, or TasksMax=4096 of the service",
    )


def check_clock(now_s: float, resolution_s: float) -> CheckRow:
    """Whether the clock was set."""
    year = time.gmtime(now_s).tm_year
    shown = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now_s))
    if year < YEAR_MIN:
        return fail("clock", f"it is {shown}", "set the clock: timedatectl set-ntp true")
    if resolution_s > 0.01:
        return warn(
            "clock", f"it is {shown}; its resolution is {resolution_s:g} s", "use another clock source of the kernel"
        )
    return ok("clock", f"it is {shown}")


def check_time_zones(version: str, year: int) -> CheckRow:
    """Whether the tzdata package is there and not old."""
    named_zone("Europe/Berlin")
    try:
        age = year - int(version[:4])
    except ValueError:
        age = 0
    if age >= TZDATA_AGE_YEARS:
        return warn(
            "time zones", f"tzdata {version} does not know the rules of the last years", "pip install --upgrade tzdata"
        )
    return ok("time zones", f"tzdata {version}")


def check_disk(folder: Path) -> CheckRow:
    """The free space of the disk of a folder."""
    if not folder.is_dir():
        return warn(f"disk of {folder}", "the folder does not exist yet", "gnomon standalone creates it")
    stats = os.statvfs(folder)
    free = stats.f_bavail * stats.f_frsize
    finding = f"{free / 1024**3:.1f} GiB free"
    if free < DISK_FAIL_BYTES or (stats.f_files and not stats.f_favail):
        return fail(
            f"disk of {folder}",
            finding if stats.f_favail else "no file can be created: it has no free inodes",
            "free some space: gnomon db clean --older-than 30d",
        )
    if free < DISK_WARN_BYTES:
        return warn(f"disk of {folder}", finding, "free some space: gnomon db clean --older-than 30d")
    return ok(f"disk of {folder}", finding)


def check_permissions(home: Path) -> Iterator[CheckRow]:
    """Whether this user can write the home, and others cannot read its secrets."""
    if home.exists() and not os.access(home, os.W_OK | os.X_OK):
        yield fail(
            "permissions",
            f"user {os.getuid()} cannot write {home}",
            f"run as its owner, or: chown -R {os.getuid()} {home}",
        )
        return
    open_files = []
    for name, pattern in _SECRET_FILES.items():
        path = home / name
        if (
            path.exists()
            and path.stat().st_mode & stat.S_IROTH
            and (pattern is None or pattern.search(path.read_bytes()))
        ):
            open_files.append(path)
    for path in open_files:
        yield warn("permissions", f"every user of this machine can read {path}", f"chmod o-r {path}")
    if not open_files:
        yield ok("permissions", f"{home} can be written, and its secrets are private")


def check_limit(name: str, limit: int, minimum: int, remedy: str) -> CheckRow:
    """A limit of the kernel for this user."""
    if limit != resource.RLIM_INFINITY and limit < minimum:
        return warn(f"limit of {name}", f"{limit}; {minimum} are needed for a small deployment", remedy)
    return ok(f"limit of {name}", "unlimited" if limit == resource.RLIM_INFINITY else str(limit))
