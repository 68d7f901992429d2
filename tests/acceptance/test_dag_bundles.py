"""DAG bundles as a user has them: a second folder, and a Git repository whose commits runs keep."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.acceptance.product import Product, product
from tests.git_repository import GitRepository

LOCAL = "airflow.dag_processing.bundles.local.LocalDagBundle"
GIT = "airflow.providers.git.bundles.git.GitDagBundle"

TWO_TASKS = """
    import pathlib, time
    from airflow.providers.standard.operators.empty import EmptyOperator
    from airflow.sdk import DAG, task
    from words import WORD

    with DAG("flow", schedule=None):
        @task
        def first():
            print("first says", WORD)
            pathlib.Path({mark!r} + ".begun").touch()
            while not pathlib.Path({mark!r}).exists():
                time.sleep(0.05)

        @task
        def second():
            import words_of_the_task
            print("second says", WORD, words_of_the_task.WORD)

        first() >> {between}second()
"""


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    return GitRepository(tmp_path / "origin")


def bundles(repository: GitRepository, extra: Path) -> str:
    """The option with a Git bundle and a folder."""
    return json.dumps(
        [
            {
                "name": "team",
                "classpath": GIT,
                "kwargs": {
                    "tracking_ref": "main",
                    "subdir": "dags",
                    "repo_url": str(repository.folder),
                    "refresh_interval": 1,
                },
            },
            {"name": "more", "classpath": LOCAL, "kwargs": {"path": str(extra)}},
        ]
    )


@pytest.fixture
def running(repository: GitRepository, tmp_path: Path) -> Iterator[Product]:
    extra = tmp_path / "extra"
    extra.mkdir()
    (extra / "other_words.py").write_text("WORD = 'from a module of the folder'\n")
    (extra / "other.py").write_text(
        "from airflow.sdk import DAG, task\nfrom other_words import WORD\n"
        "with DAG('other', schedule=None):\n    @task\n    def say():\n        print('it says', WORD)\n    say()\n"
    )
    repository.commit(
        dags__flow=TWO_TASKS.format(mark=str(tmp_path / "go"), between=""),
        dags__words="WORD = 'one'\n",
        dags__words_of_the_task="WORD = 'eins'\n",
        README="outside of the subdir",
    )
    with product({}, {"GNOMON__DAG_PROCESSOR__DAG_BUNDLE_CONFIG_LIST": bundles(repository, extra)}) as one:
        yield one


def test_a_running_run_keeps_its_commit_and_the_next_one_takes_the_new_commit(
    running: Product, repository: GitRepository, tmp_path: Path
) -> None:
    running.has_dag("flow")
    first_commit = repository.git("rev-parse", "HEAD")
    running.do("dags", "unpause", "flow")
    kept = running.do("dags", "trigger", "flow").strip()
    running.until((tmp_path / "go.begun").exists, "the first task runs")

    second_commit = repository.commit(
        dags__flow=TWO_TASKS.format(mark=str(tmp_path / "go"), between="EmptyOperator(task_id='between') >> ").replace(
            "second says", "second now says"
        ),
        dags__words="WORD = 'two'\n",
        dags__words_of_the_task="WORD = 'zwei'\n",
    )
    running.until(lambda: len(running.rows("dags", "versions", "flow")) == 2, "the new version is recorded")
    (tmp_path / "go").touch()
    assert running.ended("flow", kept)["state"] == "success"
    assert "second says one eins" in running.task_log("flow", kept, "second")

    assert set(running.tasks("flow", kept)) == {"first", "second"}

    new = running.run("flow")
    assert new["state"] == "success"
    assert set(running.tasks("flow", str(new["run_id"]))) == {"first", "between", "second"}
    assert "second now says two zwei" in running.task_log("flow", str(new["run_id"]), "second")
    versions = running.rows("dags", "versions", "flow")
    assert [(row["bundle_name"], row["bundle_version"]) for row in versions] == [
        ("team", second_commit),
        ("team", first_commit),
    ]

    running.do("runs", "clear", "flow", kept)
    assert running.ended("flow", kept)["state"] == "success"
    assert running.do("tasks", "logs", "flow", kept, "second").count("second says one eins") == 1, (
        "a cleared run keeps its commit"
    )
    assert (
        set(running.tasks("flow", kept)) == {"first", "second"}
        and running.tasks("flow", kept)["second"]["try_number"] == 2
    )
    running.do("runs", "clear", "flow", kept, "--run-on-latest-version")
    assert running.ended("flow", kept)["state"] == "success"
    assert "second now says two zwei" in running.task_log("flow", kept, "second")
    assert set(running.tasks("flow", kept)) == {"first", "between", "second"}


WAITS = """
    from airflow.providers.standard.operators.empty import EmptyOperator
    from airflow.providers.standard.triggers.file import FileTrigger
    from airflow.sdk import DAG, BaseOperator
    from airflow.triggers.base import BaseTrigger, TriggerEvent
    from words import WORD

    class OwnTrigger(BaseTrigger):
        def serialize(self):
            return ("waits.OwnTrigger", {{}})

        async def run(self):
            yield TriggerEvent("never")

    class Waits(BaseOperator):
        def execute(self, context):
            print("deferred by", WORD)
            self.defer(trigger=FileTrigger(filepath={mark!r}, poke_interval=0.1), method_name="resume")

        def resume(self, context, event):
            print("resumed by", WORD)

    class WaitsForItsOwn(BaseOperator):
        def execute(self, context):
            self.defer(trigger=OwnTrigger(), method_name="resume")

        def resume(self, context, event):
            raise AssertionError("no triggerer reads a bundle")

    with DAG("waits", schedule=None):
        Waits(task_id="wait")

    with DAG("waits_for_its_own", schedule=None):
        WaitsForItsOwn(task_id="wait")
"""


def test_a_deferred_task_goes_on_with_the_commit_of_its_run_and_a_trigger_of_a_bundle_is_refused(
    running: Product, repository: GitRepository, tmp_path: Path
) -> None:
    """A trigger has one version in the process that runs all triggers, so none is taken from a bundle, of whichever commit: the task fails and says where to put it."""
    repository.commit(dags__waits=WAITS.format(mark=str(tmp_path / "resume")))
    running.has_dag("waits")
    for dag_id in ("waits", "waits_for_its_own"):
        running.do("dags", "unpause", dag_id)
    kept = running.do("dags", "trigger", "waits").strip()
    running.until(lambda: running.tasks("waits", kept)["wait"]["state"] == "deferred", "the task is deferred")
    changed = WAITS.format(mark=str(tmp_path / "resume")).replace(
        'Waits(task_id="wait")\n\n', 'Waits(task_id="wait") >> EmptyOperator(task_id="more")\n\n'
    )
    repository.commit(dags__waits=changed, dags__words="WORD = 'two'\n")
    running.until(lambda: len(running.rows("dags", "versions", "waits")) == 2, "the new version is recorded")
    (tmp_path / "resume").touch()
    assert running.ended("waits", kept)["state"] == "success"
    lines = running.task_log("waits", kept, "wait")
    assert "deferred by one" in lines and "resumed by one" in lines and "two" not in lines
    new = running.run("waits")
    assert "resumed by two" in running.task_log("waits", str(new["run_id"]), "wait")

    refused = running.run("waits_for_its_own")
    assert refused["state"] == "failed"
    assert "in DAG bundle 'team'. A triggerer runs the triggers of all runs in one process" in running.task_log(
        "waits_for_its_own", str(refused["run_id"]), "wait"
    )


def test_a_branch_that_is_gone_is_an_error_beside_those_of_files_until_it_is_back(
    running: Product, repository: GitRepository
) -> None:
    running.has_dag("flow")
    assert running.rows("dags", "errors") == []
    repository.git("branch", "-m", "main", "renamed")
    running.until(
        lambda: any("tracking_ref 'main'" in json.dumps(row) for row in running.rows("dags", "errors")),
        "the error is shown",
    )
    assert "flow" in {row["dag_id"] for row in running.rows("dags", "list")}, "its DAGs stay"
    repository.git("branch", "-m", "renamed", "main")
    running.until(lambda: running.rows("dags", "errors") == [], "the error is gone")


def test_a_second_folder_is_a_bundle_with_modules_of_its_own(running: Product) -> None:
    running.has_dag("other")
    running.do("dags", "unpause", "other")
    ended = running.run("other")
    assert ended["state"] == "success"
    assert "it says from a module of the folder" in running.task_log("other", str(ended["run_id"]), "say")
    assert running.rows("dags", "versions", "other")[0]["bundle_name"] == "more"
