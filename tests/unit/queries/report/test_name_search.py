"""DAGs and tasks are found by parts of their names: the best first, among equal ones what ran last."""

from __future__ import annotations

import pytest

from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec
from gnomon.queries.report.listings import name_search
from gnomon.queries.report.listings.dag_facts import FactsOfAll, VersionFacts
from gnomon.queries.report.listings.name_search import search_names

DAGS = {
    "sales": ("extract", "load", "load_orders"),
    "stock": ("extract", "reload", "orders"),
    "reports": ("load", "send_mail"),
    "idle": (),
}


def _build_facts(dags: dict[str, tuple[str, ...]]) -> FactsOfAll:
    by_dag = {}
    for dag_pk, (dag_id, task_ids) in enumerate(dags.items(), start=1):
        name = "Figures of the day" if dag_id == "reports" else None
        spec = DagSpec(dag_id=dag_id, display_name=name, timetable=TimetableRef(path="NullTimetable"))
        by_dag[dag_pk] = VersionFacts(spec, has_task_limits=False, task_ids="\n".join(task_ids))
    return FactsOfAll(by_dag, frozenset(by_dag))


FACTS = _build_facts(DAGS)
NEWEST_RUNS = {1: 100, 2: 300, 3: 200}


def _find(text: str, most: int = 8, hidden: frozenset[str] = frozenset()) -> tuple[list[str], list[str]]:
    found = search_names(FACTS, NEWEST_RUNS, text, most, lambda dag_id: dag_id not in hidden)
    return [dag.dag_id for dag in found.dags], [f"{task.dag_id}.{task.task_id}" for task in found.tasks]


@pytest.mark.parametrize(
    ("text", "dag_ids", "tasks"),
    [
        ("load", [], ["reports.load", "sales.load", "sales.load_orders", "stock.reload"]),
        ("LOAD", [], ["reports.load", "sales.load", "sales.load_orders", "stock.reload"]),
        ("orders", [], ["stock.orders", "sales.load_orders"]),
        ("sales load", [], ["sales.load", "sales.load_orders"]),
        ("extract", [], ["stock.extract", "sales.extract"]),
        ("s", ["stock", "sales", "reports"], []),
        ("figures", ["reports"], []),
        ("smail", [], ["reports.send_mail"]),
        ("ldord", [], ["sales.load_orders"]),
        ("nothing", [], []),
        ("load nothing", [], []),
        ("", ["stock", "reports", "sales", "idle"], []),
        ("a.*b", [], []),
    ],
)
def test_names_are_found_the_best_first(text: str, dag_ids: list[str], tasks: list[str]) -> None:
    assert _find(text) == (dag_ids, tasks)


def test_as_many_are_found_as_are_wanted() -> None:
    assert _find("load", 2) == ([], ["reports.load", "sales.load"])


def test_what_a_user_may_not_see_is_not_found() -> None:
    assert _find("load", hidden=frozenset({"reports"}))[1] == ["sales.load", "sales.load_orders", "stock.reload"]


def test_of_many_names_those_are_compared_whose_dags_ran_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(name_search, "FITTING_MAX", 1)
    assert _find("extract")[1] == ["stock.extract"]
    monkeypatch.setattr(name_search, "LOOSE_NAMES_MAX", 1)
    assert _find("lds")[1] == []
