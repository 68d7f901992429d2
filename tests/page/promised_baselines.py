"""A baseline at risk with its predictions, a forecast and a simulation, in the standalone of the tests of the page: stored, so that no test waits for a monitor."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest
from tests.acceptance.product import Product
from tests.stored_baselines import put_forecast, put_risk, write_baselines
from tests.stored_simulation import put_simulation

from gnomon.ground.clock import SystemClock
from gnomon.model.baselines import PredictedRun
from gnomon.queries.accounts import account_changes
from gnomon.storage.store import open_database
from gnomon.storage.store.alert_records import run_predictions

STEPS = (("nightly", "first", "extract"), ("gated", "waiting", "wait_for_slot"))
MANY = 3_000
"""Runs of one DAG of the forecast: more than a document can hold rows."""


@contextmanager
def promise(product: Product, many: int = MANY) -> Iterator[Product]:
    """Until the end of the block gnomon.toml has baselines; the forecast stays. `many`: runs of one DAG in the forecast."""
    write_baselines(
        product.home,
        morning='of = ["nightly", "gated"]\nby = "07:00"\nmargin = "15m"\nowner = "ann"',
        unknown='of = ["mapped"]\nby = "08:30 +1 day"\ntimezone = "Asia/Shanghai"',
    )
    now = SystemClock().now()
    runs = [
        ("nightly", "later", 20, 45),
        ("gated", "waiting", -30, 40),
        *(("hostile", f"scheduled__{number}", number // 20, number // 20 + 2) for number in range(many)),
    ]
    with closing(open_database(f"sqlite:///{product.home / 'gnomon.db'}")) as db, db.write() as tx:
        put_risk(tx, "morning", now, STEPS)
        put_forecast(tx, now, runs)
        predicted = PredictedRun(
            dag_id="nightly", run_id="first", run_type="manual", run_after=now, end_p50=now, end_p90=now
        )
        run_predictions.put_predictions(tx, now, [], [predicted])
        account = account_changes.get_account(tx, "admin")
        put_simulation(tx, f"{account.account_pk} admin", now)
    try:
        yield product
    finally:
        (product.home / "gnomon.toml").unlink()


@pytest.fixture
def promised(product: Product) -> Iterator[Product]:
    """The standalone with baselines and a forecast."""
    with promise(product) as running:
        yield running
