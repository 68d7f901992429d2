"""An interpreter that has Apache Airflow, for the figures beside ours: in a virtual environment of its own, in a cache folder."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

AIRFLOW = "apache-airflow-core==3.3.2"
INSTALL_TIMEOUT_S = 1200


class LeftOut(Exception):
    """Airflow's side cannot run here."""


def airflow_python() -> Path:
    """An interpreter that has Airflow: GNOMON_BENCH_AIRFLOW, else a virtual environment in the cache folder."""
    given = os.environ.get("GNOMON_BENCH_AIRFLOW")
    if given:
        return Path(given)
    place = cache() / f"{AIRFLOW}-{sys.version_info.major}.{sys.version_info.minor}"
    python, complete = place / "bin/python", place / "complete"
    if not complete.exists():
        print(f"installing {AIRFLOW} into {place} (290 MB, some minutes, once)", flush=True)
        venv.create(place, with_pip=True, clear=True)
        install(python, AIRFLOW)
        complete.touch()
    return python


def install(python: Path, *packages: str) -> None:
    """Raises LeftOut with what pip said."""
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--no-input", "-q", "install", *packages]
    try:
        subprocess.run(pip, check=True, capture_output=True, text=True, timeout=INSTALL_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        raise LeftOut(f"pip took longer than {INSTALL_TIMEOUT_S} s") from None
    except subprocess.CalledProcessError as error:
        last = [line for line in error.stderr.splitlines() if line.startswith("ERROR")] or ["pip said nothing"]
        raise LeftOut(last[-1].removeprefix("ERROR: ")) from None


def cache() -> Path:
    place = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "gnomon-bench"
    place.mkdir(parents=True, exist_ok=True)
    return place
