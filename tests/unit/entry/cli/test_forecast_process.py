"""The process of the monitor's forecasts: it stays after a costly one, and ends after any other."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator

import msgspec
import pytest
from tests.unit.entry.cli.conftest import Gnomon

from gnomon.entry.app.forecast_process import ForecastProcess
from gnomon.entry.cli.deployment.home import Home
from gnomon.model.baselines import ForecastReport

STAYS = (
    "-c",
    "from gnomon.entry.projection import forecast_main\nforecast_main.STAYS_FROM_S = 0.0\nraise SystemExit(forecast_main.main())",
)


@pytest.fixture
def process(home: Home) -> Iterator[ForecastProcess]:
    made = ForecastProcess(home.cfg, STAYS)
    yield made
    made.end()


def answer(process: ForecastProcess) -> ForecastReport:
    """Ask, and wait for the report."""
    running = process.start()
    deadline = time.monotonic() + 60
    while (code := running.poll()) is None:
        assert time.monotonic() < deadline, "no answer in a minute"
        time.sleep(0.02)
    text, errors = running.read()
    running.close()
    assert code == 0, errors
    return msgspec.json.decode(text, type=ForecastReport)


def find_pid(process: ForecastProcess) -> int:
    assert process._process is not None
    return process._process.pid


def test_it_stays_and_sees_what_has_changed(process: ForecastProcess, home: Home, gnomon: Gnomon) -> None:
    first = answer(process)
    pid = find_pid(process)
    assert not first.faults
    (home.cfg.home / "gnomon.toml").write_text('[baselines.promise]\nof = ["nobody"]\nby = "07:00"\n')
    second = answer(process)
    assert find_pid(process) == pid
    assert "nobody" in second.faults[0]
    assert second.at > first.at


def test_one_that_was_killed_is_replaced(process: ForecastProcess) -> None:
    answer(process)
    pid = find_pid(process)
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    answer(process)
    assert find_pid(process) != pid


def test_its_end_ends_it(process: ForecastProcess) -> None:
    answer(process)
    pid = find_pid(process)
    process.end()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_after_a_forecast_that_cost_little_it_ends(home: Home) -> None:
    process = ForecastProcess(home.cfg)
    answer(process)
    assert process._process is None
    answer(process)


def test_an_error_is_told_and_the_next_forecast_is_made(home: Home) -> None:
    process = ForecastProcess(home.cfg)
    toml = home.cfg.home / "gnomon.toml"
    toml.write_text("[forecast]\nsamples = 'many'\n")
    running = process.start()
    while (code := running.poll()) is None:
        time.sleep(0.02)
    assert code == 1
    assert "samples" in running.read()[1]
    running.close()
    toml.unlink()
    answer(process)
