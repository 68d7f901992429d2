"""Runs the tests at another date, in another time zone, with another release of the tz database.

    python tests/shifted_clock.py '2026-12-31 23:59:50' ZONE [--tzdata FOLDER] [pytest's arguments]

The date is the local time in ZONE at which pytest starts; from then on the clock runs at normal speed. All processes
that the tests start see it, also those with an environment of their own, and so does the PostgreSQL server, which
is one of this run alone. Monotonic clocks, timeouts and the times of files stay real. FOLDER is what
`pip install --target FOLDER tzdata==2024.1` fills. Needs a C compiler (Debian: `apt-get install gcc libc6-dev`).
"""

from __future__ import annotations

import argparse
import importlib
import os
import subprocess
import sys
import tempfile
import time
import zoneinfo
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = Path(__file__).with_suffix(".c")
LIBRARY = "shifted_clock.so"
NO_COMPILER = "no C compiler: the clock is shifted by a small library that is compiled first. Install one (Debian: `apt-get install gcc libc6-dev`)"


def main(words: list[str]) -> int:
    """The exit code of pytest; 2 when the tests cannot be run so."""
    asked, pytest_words = _parser().parse_known_args(words)
    try:
        zone, start = _use_zone(asked.zone, asked.tzdata), datetime.fromisoformat(asked.date)
    except (ValueError, zoneinfo.ZoneInfoNotFoundError) as error:
        print(f"shifted_clock: {error}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="clock-") as folder:
        os.chmod(folder, 0o755)  # the PostgreSQL server may run as another user
        try:
            library = compiled(Path(folder), round(start.replace(tzinfo=zone).timestamp() - time.time()))
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"shifted_clock: {NO_COMPILER}: {error}", file=sys.stderr)
            return 2
        os.environ |= _environment(library, asked.zone, asked.tzdata)
        return _run([word for word in pytest_words if word != "--"])


def compiled(folder: Path, shift_s: int) -> Path:
    """The library in this folder. Raises OSError or CalledProcessError where there is no compiler."""
    library = folder / LIBRARY
    command = [
        os.environ.get("CC", "cc"),
        "-shared",
        "-fPIC",
        "-O2",
        "-Wall",
        "-Wextra",
        "-Werror",
        f"-DSHIFT_S={shift_s}LL",
    ]
    subprocess.run([*command, "-o", str(library), str(SOURCE), "-ldl", "-lpthread"], check=True)
    library.chmod(0o755)
    return library


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="shifted_clock.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("date", help="local time at which pytest starts: '2028-02-29 12:00:00'")
    parser.add_argument("zone", help="a name of the tz database, for example Asia/Kathmandu")
    parser.add_argument("--tzdata", type=Path, help="a folder with the package tzdata")
    return parser


def _use_zone(name: str, tzdata: Path | None) -> zoneinfo.ZoneInfo:
    """The zone by that release of the tz database."""
    if tzdata is not None:
        rules = tzdata.resolve() / "tzdata" / "zoneinfo"
        if not rules.is_dir():
            raise ValueError(
                f"{tzdata} does not hold the package tzdata; fill it with `pip install --target {tzdata} tzdata==2024.1`"
            )
        zoneinfo.reset_tzpath([rules])
    return zoneinfo.ZoneInfo(name)


def _environment(library: Path, zone: str, tzdata: Path | None) -> Mapping[str, str]:
    """What the tests and the processes that they start get."""
    found = {"LD_PRELOAD": str(library), "TZ": zone}
    if tzdata is not None:
        folder = tzdata.resolve()
        inherited = os.environ.get("PYTHONPATH")
        found["PYTHONPATH"] = f"{folder}{os.pathsep}{inherited}" if inherited else str(folder)
        found["PYTHONTZPATH"] = ""  # none: the package of that folder is used
        found["TZDIR"] = str(folder / "tzdata" / "zoneinfo")
    return found


def _run(words: list[str]) -> int:
    """pytest with these arguments, and a PostgreSQL server whose clock is the same."""
    sys.path.insert(0, str(ROOT))
    server, reason = importlib.import_module("tests.postgres").start_server()
    if server is None:
        print(f"shifted_clock: the tests with PostgreSQL are skipped: {reason}", file=sys.stderr)
    os.environ["GNOMON_TEST_POSTGRES"] = server or "postgresql:///none?host=/nonexistent"
    subprocess.run(["date"], check=True)
    print(f"shifted_clock: pytest {' '.join(words)}", file=sys.stderr)
    return subprocess.run([sys.executable, "-m", "pytest", *words], check=False, cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
