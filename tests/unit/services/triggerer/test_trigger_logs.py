"""What a trigger prints and logs is in its file: all lines of it, each up to a length."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from gnomon.ground.log.secret_masks import add_secrets, forget_secrets
from gnomon.services.triggerer.host_protocol import TriggerTaskInstance
from gnomon.services.triggerer.trigger_logs import LINE_MAX, TriggerLogHandler, TriggerOutputStream
from gnomon.services.triggerer.trigger_runner import RunningTrigger, current_trigger, error_to_result

pytestmark = pytest.mark.pure

LOG = "dag_id=d/task_id=t.trigger.log"


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    """The file of the trigger whose code runs."""
    token = current_trigger.set(
        RunningTrigger(1, "mine.Trigger", TriggerTaskInstance(dag_id="d", run_id="r", task_id="t", log=LOG))
    )
    yield tmp_path / LOG
    current_trigger.reset(token)


@pytest.fixture
def logger(tmp_path: Path) -> Iterator[logging.Logger]:
    """An author's logger."""
    made, handler = logging.getLogger("mine.of.this.test"), TriggerLogHandler(str(tmp_path), [])
    made.addHandler(handler)
    made.propagate = False
    yield made
    made.removeHandler(handler)


@pytest.fixture
def secret() -> Iterator[str]:
    """A secret that the process of the trigger has read."""
    add_secrets(["hunter2-first\nhunter2-second"])
    yield "hunter2-first\nhunter2-second"
    forget_secrets()


def test_what_a_trigger_logs_prints_and_raises_has_no_secrets(
    tmp_path: Path, log: Path, logger: logging.Logger, secret: str
) -> None:
    real = io.StringIO()
    print(f"printed {secret}", file=TriggerOutputStream(str(tmp_path), real))
    logger.error("logged %s", secret)
    token = current_trigger.set(None)
    print(f"at import {secret}", file=TriggerOutputStream(str(tmp_path), real))
    current_trigger.reset(token)
    printed, logged = log.read_text().splitlines()
    assert (printed, logged.endswith("logged ***"), real.getvalue()) == ("printed ***", True, "at import ***\n")
    fired = error_to_result(ValueError(f"no login with {secret}"))
    assert fired.reason == "ValueError: no login with ***"
    assert "hunter2" not in (fired.traceback or "hunter2")


def test_many_lines_said_at_once_are_all_there(tmp_path: Path, log: Path, logger: logging.Logger) -> None:
    lines = [f"line {number}" for number in range(LINE_MAX // 4)]
    print("\n".join(lines), file=TriggerOutputStream(str(tmp_path), io.StringIO()))
    assert log.read_text().splitlines() == lines
    logger.error("\n".join(lines))
    assert log.read_text().splitlines()[-1] == lines[-1]


def test_a_line_that_is_too_long_is_cut_and_says_so_and_the_next_one_is_a_line(
    tmp_path: Path, log: Path, logger: logging.Logger
) -> None:
    print("x" * (LINE_MAX + 7), file=TriggerOutputStream(str(tmp_path), io.StringIO()))
    print("x" * LINE_MAX, file=TriggerOutputStream(str(tmp_path), io.StringIO()))
    logger.error("y" * LINE_MAX)
    logger.error("after")
    cut, whole, logged, after = log.read_text().splitlines()
    assert cut == "x" * LINE_MAX + "… (7 characters more)"
    assert whole == "x" * LINE_MAX
    assert logged.endswith(" characters more)")
    assert after.endswith("after")
