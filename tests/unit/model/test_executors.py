"""`[core] executor`: one name, several, aliases, paths; and which executor a name of a task means."""

from __future__ import annotations

import pytest

from gnomon.model.executors import parse_executors

CELERY_PATH = "airflow.providers.celery.executors.celery_executor.CeleryExecutor"
LOCAL_PATH = "airflow.executors.local_executor.LocalExecutor"


def test_the_first_executor_is_that_of_tasks_that_name_none() -> None:
    executors = parse_executors("CeleryExecutor , LocalExecutor")
    assert (executors.default, executors.find(None)) == ("CeleryExecutor", "CeleryExecutor")
    assert parse_executors(LOCAL_PATH).default == parse_executors("localexecutor").default == "LocalExecutor"


@pytest.mark.parametrize("name", ["big", "CeleryExecutor", CELERY_PATH])
def test_an_executor_has_an_alias_a_short_name_and_a_path(name: str) -> None:
    assert parse_executors(f"LocalExecutor,big:{CELERY_PATH}").find(name) == "CeleryExecutor"


def test_a_name_that_is_not_configured_means_none_of_them_and_the_sentence_names_them_all() -> None:
    executors = parse_executors(f"LocalExecutor,big:{CELERY_PATH}")
    assert executors.find("KubernetesExecutor") is None  # not configured
    assert parse_executors("LocalExecutor").find("CeleryExecutor") is None
    assert executors.describe_unknown("K") == (
        "names the executor 'K', which is not configured: the executors are LocalExecutor, big (CeleryExecutor); "
        "use one of these names, or add it to [core] executor"
    )
    assert "the executor is LocalExecutor;" in parse_executors("LocalExecutor").describe_unknown("K")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "it has an empty name; write names with commas between them"),
        ("LocalExecutor,", "it has an empty name"),
        ("LocalExecutor,LocalExecutor", "it names the LocalExecutor twice"),
        (f"CeleryExecutor,big:{CELERY_PATH}", "it names the CeleryExecutor twice"),
        (
            "EdgeExecutor",
            "'EdgeExecutor' is no executor of Gnomon; write one or several of: LocalExecutor, CeleryExecutor, KubernetesExecutor",
        ),
        ("big:my.module.Class", "'my.module.Class' is no executor of Gnomon"),
        (
            f":team_a:{CELERY_PATH}",
            f"':team_a:{CELERY_PATH}' is for a team, and Gnomon has no teams; write the executor without a team",
        ),
        ("LocalExecutor;team_a=CeleryExecutor", "is for a team"),
        (f"LocalExecutor:{CELERY_PATH}", "'LocalExecutor' cannot be the alias of an executor"),
        (f"a b:{CELERY_PATH}", "'a b' cannot be the alias of an executor"),
    ],
)
def test_other_texts_are_refused_with_the_remedy(text: str, fault: str) -> None:
    with pytest.raises(ValueError, match="^.*") as refused:
        parse_executors(text)
    assert fault in str(refused.value)
