"""One sensor waiting in each of its forms: what it takes while it waits, and how late it notices.

python -m bench.defer_sensors [poke] [reschedule] [deferrable] [20]
"""

from __future__ import annotations

import sys
import time

from bench import defer_dags
from bench.defer_rate import Look
from bench.deployment import Deployment, deployment
from bench.figures import instant, quantile, show

FORMS = {"poke": "mode='poke'", "reschedule": "mode='reschedule'", "deferrable": "deferrable=True"}
WAITING = {"poke": ("running",), "reschedule": ("up_for_reschedule", "queued", "running"), "deferrable": ("deferred",)}
SENSORS = 20
SLOTS = 8
"""Of the worker, where a waiting sensor needs none."""
POKE_S = 5
SPARE_S = 8.0
CPU_S = 20.0
LIMIT_S = 240.0
SENSING = """
from airflow.providers.standard.sensors.filesystem import FileSensor
from airflow.sdk import DAG

with DAG("senses", schedule=None):
    for i in range({count}):
        FileSensor(task_id=f"s{{i:03d}}", filepath={path!r}, poke_interval={poke_s}, timeout=3600, {form})
"""


def sensors(words: tuple[str, ...] = ()) -> None:
    """One line a form; all sensors wait for one file."""
    count = next((int(word) for word in words if word.isdigit()), SENSORS)
    for form in [word for word in words if word in FORMS] or list(FORMS):
        slots = str(count if form == "poke" else SLOTS)
        options = {
            "GNOMON__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
            "GNOMON__CORE__PARALLELISM": slots,
            "GNOMON__CORE__MAX_ACTIVE_TASKS_PER_DAG": str(count),
        }
        with deployment([], **options) as running, Look(running) as look:
            measure(running, look, form, count)


def measure(running: Deployment, look: Look, form: str, count: int) -> None:
    """One run warms up: its file is there already."""
    path = running.home / "here"
    path.touch()
    text = SENSING.format(count=count, path=str(path), poke_s=POKE_S, form=FORMS[form])
    defer_dags.write(running.home, "senses.py", text)
    running.wait_for_dag("senses")
    look.create("senses", 1)
    look.until(lambda: look.unfinished() == 0, time.time() + LIMIT_S)
    path.unlink()
    time.sleep(SPARE_S)
    before, processes_before = running.memory_mb(), len(running.processes())
    look.create("senses", 1, first=1)
    look.until(lambda: _waiting(look, form) == count, time.time() + LIMIT_S)
    time.sleep(SPARE_S)  # forms that need no process have none any more
    after, processes = running.memory_mb(), len(running.processes())
    cpu, at = running.cpu_s(), time.time()
    time.sleep(CPU_S)
    busy = 100 * (running.cpu_s() - cpu) / (time.time() - at)
    path.touch()
    came = time.time()
    look.until(lambda: look.unfinished() == 0, came + LIMIT_S)
    tasks = look.tasks("senses", 1, first=1)
    lags = [instant(task["end_date"]) - came for task in tasks if task["state"] == "success"]
    show(
        f"{count} file sensors, {form}",
        f"{1024 * (after - before) / count:.0f} KB each, {processes - processes_before} processes more, "
        f"{busy:.1f} % of a core, lag p50 {quantile(lags, 0.5):.2f} s, max {max(lags):.2f} s, {len(lags)} ended",
    )


def _waiting(look: Look, form: str) -> int:
    """Sensors that have begun to wait; a rescheduled one may be asking."""
    return sum(task["state"] in WAITING[form] for task in look.tasks("senses", 1, first=1))


if __name__ == "__main__":
    show("work", "figure")
    sensors(tuple(sys.argv[1:]))
