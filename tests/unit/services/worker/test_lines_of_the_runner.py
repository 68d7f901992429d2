"""The log of a task that failed ends with the failure and its traceback, whatever the task has done to `logging` and to its descriptors."""

from __future__ import annotations

import pytest
from tests.conformance.workerworld import WorkerWorld, until

CHANGES = {
    "dictconfig": "import logging.config\nlogging.config.dictConfig({'version': 1, 'disable_existing_loggers': True, 'root': {'level': 'ERROR', 'handlers': []}})",
    "dictconfig-console": (
        "import logging.config\nlogging.config.dictConfig({'version': 1, 'handlers': {'c': {'class': 'logging.NullHandler'}},"
        " 'root': {'level': 'ERROR', 'handlers': ['c']}})"
    ),
    "fileconfig": (
        "import io, logging.config\nlogging.config.fileConfig(io.StringIO('[loggers]\\nkeys=root\\n[handlers]\\nkeys=h\\n[formatters]\\nkeys=\\n'"
        " '[logger_root]\\nlevel=ERROR\\nhandlers=h\\n[handler_h]\\nclass=NullHandler\\nargs=()\\n'))"
    ),
    "basicconfig": "import logging\nlogging.basicConfig(force=True, handlers=[logging.NullHandler()])",
    "disable": "import logging\nlogging.disable(logging.CRITICAL)",
    "shutdown": "import logging\nlogging.shutdown()",
    "clear": "import logging\nlogging.getLogger().handlers.clear()",
    "level": "import logging\nlogging.getLogger().setLevel(99)",
    "filter": "import logging\nlogging.getLogger().handlers[0].addFilter(lambda record: False)\nlogging.getLogger('gnomon.task').addFilter(lambda record: False)",
    "raising-handler": (
        "import logging\nclass Raises(logging.Handler):\n    def emit(self, record): raise RuntimeError('of the handler')\n"
        "logging.getLogger().handlers.insert(0, Raises())"
    ),
    "raising-factory": "import logging\ndef factory(*a, **k): raise RuntimeError('of the factory')\nlogging.setLogRecordFactory(factory)",
    "disabled-logger": "import logging\nlogging.getLogger('gnomon.task').disabled = True\nlogging.getLogger('gnomon.task').propagate = False",
    "dup2": "n = os.open('/dev/null', os.O_WRONLY)\nos.dup2(n, 1)\nos.dup2(n, 2)",
    "closed": "os.close(1)\nos.close(2)",
    "closed-streams": "sys.stdout.close()\nsys.stderr.close()",
    "no-streams": "sys.stdout = sys.stderr = None",
    "other-streams": "import io\nsys.stdout = sys.stderr = io.StringIO()",
    "dup2-and-dictconfig": (
        "n = os.open('/dev/null', os.O_WRONLY)\nos.dup2(n, 1)\nos.dup2(n, 2)\n"
        "import logging.config\nlogging.config.dictConfig({'version': 1, 'root': {'handlers': []}})"
    ),
}
SECRET = "from airflow.sdk.log import mask_secret\nmask_secret('hunter2-and-more')\n"


@pytest.mark.parametrize("knows_secret", [False, True], ids=["plain", "secret"])
@pytest.mark.parametrize("name", CHANGES)
def test_the_failure_and_its_traceback_are_in_the_log(world: WorkerWorld, name: str, knows_secret: bool) -> None:
    body = f"{SECRET if knows_secret else ''}print('before')\n{CHANGES[name]}\nraise ValueError('of the task hunter2-and-more')"
    attempt = world.attempt(world.dag(f"{name}-{knows_secret}", body))
    result = world.run(attempt)
    shown = "***" if knows_secret else "hunter2-and-more"
    text = world.log_of(attempt)
    assert (result.outcome, result.reason) == ("failed", f"ValueError: of the task {shown}")
    lines = text.splitlines()
    assert lines[0] == "before" and lines[-1] == f"ValueError: of the task {shown}"
    assert sum("ERROR    task failed:" in line for line in lines) == 1
    assert sum(line.startswith("Traceback") for line in lines) == 1
    assert "hunter2" not in text or not knows_secret


def test_a_task_that_renamed_its_log_has_the_failure_at_its_place(world: WorkerWorld) -> None:
    body = "path = os.readlink('/proc/self/fd/1')\nos.rename(path, path + '.old')\nraise ValueError('of the task')"
    attempt = world.attempt(world.dag("renamed", body))
    assert world.run(attempt).reason == "ValueError: of the task"
    assert "ValueError: of the task" in world.log_of(attempt)


def test_a_task_that_closed_the_descriptors_of_the_pipe_for_secrets_prints_on(world: WorkerWorld) -> None:
    body = f"{SECRET}os.closerange(3, 1024)\nprint('still hunter2-and-more')\nraise ValueError('of the task hunter2-and-more')"
    attempt = world.attempt(world.dag("closes-pipe", body))
    assert "closed the socket to its worker" in (world.run(attempt).reason or "")
    text = world.log_of(attempt)
    assert "still ***" in text and "ValueError: of the task ***" in text and "hunter2" not in text


def test_a_process_that_runs_several_attempts_writes_each_failure_into_its_own_log(world: WorkerWorld) -> None:
    file = world.dag("several", "import logging\nlogging.getLogger().handlers.clear()\nraise ValueError(ti.try_number)")
    attempts = [world.attempt(file, attempts_per_child=10, try_number=number) for number in (1, 2, 3)]
    for number, attempt in enumerate(attempts, 1):
        world.run(attempt)
        until(
            lambda attempt=attempt, number=number: world.log_of(attempt).endswith(f"ValueError: {number}\n"),
            "the traceback is the end of the log",
        )  # type: ignore[misc]
