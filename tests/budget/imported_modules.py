"""How many modules the code of each kind of process loads at its start."""

from __future__ import annotations

import subprocess
import sys

PROCESSES = {
    "scheduler": "gnomon.services.scheduler.service",
    "worker": "gnomon.services.worker.service",
    "base zygote": "gnomon.services.worker.base_zygote",
    "dag-processor": "gnomon.services.dagfiles.service",
    "triggerer": "gnomon.services.triggerer.service",
    "trigger host": "gnomon.services.triggerer.host_main",
    "timetable host": "gnomon.author_code.timetable_host.host_main",
    "monitor": "gnomon.services.monitor.service",
    "api-server": "gnomon.api.service",
    "command": "gnomon.entry.cli.main",
    "command about DAGs": "gnomon.entry.cli.dags",
    "command about runs": "gnomon.entry.cli.runs",
    "command about pools": "gnomon.entry.cli.pools",
    "DAG file": "gnomon.authoring.sdk.dags.dag",
}
"""The module with which the code of each kind of process begins."""


def count(module: str) -> dict[str, int]:
    """The modules that an import loads: in all, and of each package."""
    program = f"import sys; before = set(sys.modules); import {module}; print(*(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120)
    loaded = done.stdout.split()
    counts: dict[str, int] = {"modules": len(loaded)}
    for name in loaded:
        package = ".".join(name.split(".")[:3]) if name.startswith("gnomon") else name.split(".")[0]
        counts[f"of {package}"] = counts.get(f"of {package}", 0) + 1
    return counts
