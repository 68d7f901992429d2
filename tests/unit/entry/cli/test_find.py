"""`gnomon simulate --find`: what is asked, what is answered, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.test_simulate import DAY, SHOP

EXPECT = ("--set", "orders=30m..50m", "--set", "report=10m", "--expect", "report ends before 03:05")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "dags").mkdir()
    (tmp_path / "dags" / "shop.py").write_text(SHOP)
    return tmp_path / "dags"


def test_the_smallest_pool_is_said_with_what_one_less_breaks(gnomon: Gnomon, folder: Path) -> None:
    code, out, err = gnomon("simulate", "--dags", str(folder), *DAY, *EXPECT, "--find", "pool=etl")
    assert (code, err) == (0, "")
    assert "pool etl needs 2 slots; with one less 'report ends before 03:05' holds in 0 of 20 samples: " in out
    code, out, _ = gnomon(
        "simulate", "--dags", str(folder), *DAY, *EXPECT, "--find", "workers", "--samples", "5", "-o", "json"
    )
    answer = json.loads(out)
    assert (code, answer["answer"], answer["find"]) == (0, 2, "workers")
    assert [(trial["value"], trial["holds"], trial["samples"]) for trial in answer["trials"]] == [
        (1, 0, 5),
        (2, 5, 5),
        ("no limit", 5, 5),
    ]


def test_the_latest_start_is_said_with_the_times_that_are_enough(gnomon: Gnomon, folder: Path) -> None:
    day = ("simulate", "--dags", str(folder), *DAY, "--assume", "20m", "--expect", "report ends before 03:05")
    code, out, _ = gnomon(*day, "--find", "start=orders")
    assert code == 0
    assert "DAG orders may start at 02:24 at the latest (it starts at 02:00); enough are 00:00 - 02:24" in out


def test_a_baseline_of_a_file_and_one_of_the_home_are_promises_too(
    gnomon: Gnomon, folder: Path, tmp_path: Path
) -> None:
    (folder / "shop.py").write_text(
        SHOP.replace("import DAG,", "import DAG, Baseline,").replace(
            'depends_on=[After("orders")]', 'depends_on=[After("orders")], baselines=Baseline("03:05")'
        )
    )
    code, out, _ = gnomon("simulate", "--dags", str(folder), *DAY, *EXPECT[:4], "--find", "pool=etl")
    assert code == 0 and "with one less 'report' holds in 0 of 20 samples: baseline 'report' of 2026-03-01T03:05" in out
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "home" / "gnomon.toml").write_text(
        '[baselines.early]\nof = ["orders"]\nby = "02:45"\n[baselines.other]\nof = ["invoices"]\nby = "02:45"\n'
    )
    code, out, err = gnomon("simulate", "--dags", str(folder), *DAY, *EXPECT[:4], "--find", "pool=etl")
    assert code == 1 and err.startswith("gnomon: no size of pool etl is enough: even without a limit 'early' holds in ")
    assert "1 baseline names DAGs or tasks that the folder does not have, and is not judged (other)" in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--find", "workers"], "--find looks for the least that keeps what is promised, and nothing is; add --expect"),
        ([*EXPECT, "--find", "pool=elt"], "--find pool=elt names the pool 'elt', which is no known pool"),
        ([*EXPECT, "--find", "start=invoices"], "--find start=invoices names 'invoices', which is no DAG"),
        ([*EXPECT, "--find", "pool"], "--find 'pool' is not pool=NAME, workers or start=DAG"),
        ([*EXPECT, "--find", "workers=3"], "--find 'workers=3' is not pool=NAME, workers or start=DAG"),
        ([*EXPECT, "--find", "workers", "--tasks"], "--find answers with one value; leave --tasks out"),
        ([*EXPECT, "--find", "workers", "report"], "leave names of DAGs out"),
        ([*EXPECT, "--find", "workers", "--share", "0"], "'0' is not an integer from 1 to 100"),
        ([*EXPECT, "--share", "90"], "--share acts only with --find; add --find, or leave --share out"),
        ([*EXPECT, "--set", "orders.check=9m..5m"], "--set 'orders.check=9m..5m' is not DAG.TASK=SPAN"),
        (
            [*EXPECT, "--schedule", "orders=*/5 2 * * *", "--find", "start=orders"],
            "--find start=orders needs one time of the day, and the schedule of DAG orders is",
        ),
    ],
)
def test_what_cannot_be_found_is_refused(gnomon: Gnomon, folder: Path, options: list[str], message: str) -> None:
    code, out, err = gnomon("simulate", "--dags", str(folder), *DAY, *options)
    assert code != 0 and out == ""
    assert message in err


def test_a_baseline_that_has_no_due_time_in_the_simulated_time_is_named(
    gnomon: Gnomon, folder: Path, tmp_path: Path
) -> None:
    (folder / "never.py").write_text("from gnomon import DAG\ndag = DAG('never', schedule=None)\n")
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "home" / "gnomon.toml").write_text('[baselines.idle]\nof = ["never"]\nby = "02:45"\n')
    code, out, _ = gnomon("simulate", "--dags", str(folder), *DAY, *EXPECT, "--find", "pool=etl")
    assert code == 0 and "1 baseline has no run with a due time in the simulated time, and is not judged (idle)" in out
