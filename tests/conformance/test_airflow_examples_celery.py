"""Airflow's published example DAGs, unmodified, through the CeleryExecutor: every run that the tests compare with Airflow's ends on three Celery workers as it does on a local worker.

The tests are those of the other modules, with another deployment in place of `gnomon standalone` with its own worker. Every file that can run is among them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pytest
from tests.acceptance.celery_product import CeleryProduct, celery_product
from tests.acceptance.product import Product
from tests.brokers import BROKERS, require_broker
from tests.conformance import (
    test_airflow_examples_assets,
    test_airflow_examples_packages,
    test_airflow_examples_partitions,
    test_airflow_examples_scheduled,
    test_airflow_examples_watchers,
)
from tests.conformance.airflow_example_verdicts import EXAMPLE_FILES, ComparedBy, Verdict
from tests.conformance.test_airflow_examples_assets import (
    home_of_runs,
    test_the_runs_by_hand_end_as_in_airflow,
    test_the_runs_that_events_trigger_end_as_in_airflow,
)
from tests.conformance.test_airflow_examples_packages import (
    test_an_example_ends_without_a_connection_as_in_airflow,
    test_an_example_with_a_retry_policy_ends_as_in_airflow,
    test_an_example_with_a_virtual_environment_ends_as_in_airflow,
)
from tests.conformance.test_airflow_examples_partitions import (
    ended,
    test_a_partition_has_one_run_and_it_ends_as_in_airflow,
    test_partitions_that_were_not_recorded_have_no_run,
)
from tests.conformance.test_airflow_examples_scheduled import (
    observed,
    test_a_published_example_ends_through_the_scheduler_as_in_airflow,
)
from tests.conformance.test_airflow_examples_watchers import (
    test_each_watched_file_of_the_published_example_makes_a_run_also_after_a_restart,
)

__all__ = [
    "ended",
    "home_of_runs",
    "observed",
    "test_a_partition_has_one_run_and_it_ends_as_in_airflow",
    "test_a_published_example_ends_through_the_scheduler_as_in_airflow",
    "test_an_example_ends_without_a_connection_as_in_airflow",
    "test_an_example_with_a_retry_policy_ends_as_in_airflow",
    "test_an_example_with_a_virtual_environment_ends_as_in_airflow",
    "test_each_watched_file_of_the_published_example_makes_a_run_also_after_a_restart",
    "test_partitions_that_were_not_recorded_have_no_run",
    "test_the_runs_by_hand_end_as_in_airflow",
    "test_the_runs_that_events_trigger_end_as_in_airflow",
]
pytestmark = [pytest.mark.soak, pytest.mark.network]
MODULES = {
    ComparedBy.ONE_PROCESS: test_airflow_examples_scheduled,
    ComparedBy.SCHEDULER: test_airflow_examples_scheduled,
    ComparedBy.ASSETS: test_airflow_examples_assets,
    ComparedBy.PARTITIONS: test_airflow_examples_partitions,
    ComparedBy.PACKAGES: test_airflow_examples_packages,
    ComparedBy.WATCHERS: test_airflow_examples_watchers,
}
WORKERS = 3


@pytest.fixture(scope="module", autouse=True, params=BROKERS)
def broker(request: pytest.FixtureRequest) -> Iterator[None]:
    """Every test of this module has this deployment."""
    url = require_broker(request.param)

    @contextmanager
    def deployed(files: Mapping[str, str], environ: Mapping[str, str] | None = None) -> Iterator[Product]:
        with celery_product(
            url, files, {"GNOMON__CORE__DAGS_ARE_PAUSED_AT_CREATION": "True", **(environ or {})}
        ) as made:
            _start_workers(made, environ or {})
            restart = made.product.restart

            def restart_all() -> None:
                made.stop()
                restart()
                _start_workers(made, environ or {})

            made.product.restart = restart_all  # type: ignore[method-assign]
            yield made.product

    with pytest.MonkeyPatch.context() as patch:
        for module in set(MODULES.values()):
            patch.setattr(module, "product", deployed)
        yield


def _start_workers(made: CeleryProduct, environ: Mapping[str, str]) -> None:
    for _ in range(WORKERS):
        made.start_worker(environ=environ)


def test_every_file_that_can_run_is_compared_here() -> None:
    assert {file.compared_by for file in EXAMPLE_FILES if file.verdict is not Verdict.CANNOT} <= MODULES.keys()
