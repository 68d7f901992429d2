"""The choice of the version of a DAG bundle when a run is cleared."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect
from tests.acceptance.product import Product
from tests.acceptance.product import product as run_product
from tests.git_repository import GitRepository
from tests.page.visit import PASSWORD, SIZES, choose_act, visit

from gnomon.api.page_files import find_page_files

FLOW = """
    from airflow.sdk import DAG, task

    with DAG("flow", schedule=None):
        @task(retries={retries})
        def say():
            print("it says {word}")

        say()
"""
RUNS = tuple(f"{kind}_{size}" for kind in ("by_task", "whole") for size in SIZES)


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Product, str, str]]:
    """A standalone with a DAG whose runs keep the first of two commits; the commits."""
    if find_page_files().index is None:
        pytest.skip(f"there is no page in this installation: {find_page_files().reason}")
    repository = GitRepository(tmp_path_factory.mktemp("bundle") / "origin")
    first = repository.commit(flow=FLOW.format(word="one", retries=1))
    bundle = {
        "name": "team",
        "classpath": "airflow.providers.git.bundles.git.GitDagBundle",
        "kwargs": {"tracking_ref": "main", "repo_url": str(repository.folder), "refresh_interval": 1},
    }
    environ = {
        "GNOMON__DAG_PROCESSOR__DAG_BUNDLE_CONFIG_LIST": json.dumps([bundle]),
        "GNOMON__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
    }
    with run_product({}, environ) as running:
        running.do("users", "reset-password", "admin", "--password", PASSWORD)
        running.has_dag("flow")
        for run_id in RUNS:
            running.run("flow", "--run-id", run_id)
        second = repository.commit(flow=FLOW.format(word="two", retries=2))
        running.until(lambda: len(running.rows("dags", "versions", "flow")) == 2, "the new version is recorded")
        yield running, first, second


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("kind", "path", "button"),
    [("by_task", "/tasks/say", "Clear (run again) …"), ("whole", "", "Clear all (run all again) …")],
)
def test_a_clear_keeps_the_version_of_the_run_unless_the_latest_is_chosen(
    browser: Browser, versions: tuple[Product, str, str], size: str, kind: str, path: str, button: str
) -> None:
    running, first, second = versions
    run_id = f"{kind}_{size}"
    with visit(browser, running, size) as seen:
        seen.log_in(f"/dags/flow/runs/{run_id}{path}")
        page = seen.page
        choice = page.get_by_role("group", name="Version of the DAG bundle:")
        choose_act(page, button)
        expect(choice.get_by_label(f"the one that the run has ({first[:12]}")).to_be_checked()
        seen.check()
        page.get_by_role("button", name="Clear them").click()
        running.until(lambda: running.tasks("flow", run_id)["say"]["try_number"] == 2, "the cleared task runs")
        assert running.ended("flow", run_id)["state"] == "success"
        assert "it says two" not in running.task_log("flow", run_id, "say")
        page.reload()
        choose_act(page, button)
        choice.get_by_label(f"the latest ({second[:12]}").check()
        page.get_by_role("button", name="Clear them").click()
        running.until(lambda: running.tasks("flow", run_id)["say"]["try_number"] == 3, "the cleared task runs again")
        assert running.ended("flow", run_id)["state"] == "success"
        assert "it says two" in running.task_log("flow", run_id, "say")
        page.reload()
        choose_act(page, button)
        expect(page.get_by_role("button", name="Clear them")).to_be_visible()
        expect(choice).to_have_count(0)  # the run has the latest: there is nothing to choose
