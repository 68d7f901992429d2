"""DAGs and tasks by parts of their names, and the services that are silent: what every page of a client asks for."""

from __future__ import annotations

from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import Deployment, spec_of


def test_names_are_found_with_their_dags(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("sales", {"extract": (), "load_orders": ()}), spec_of("stock", {"reload": ()}))
    answer = api.own("/names?text=load")
    assert answer["dags"] == []
    assert [(task["dag_id"], task["task_id"]) for task in answer["tasks"]] == [
        ("sales", "load_orders"),
        ("stock", "reload"),
    ]
    assert [dag["dag_id"] for dag in api.own("/names?text=sa")["dags"]] == ["sales"]
    assert len(api.own("/names?limit=1")["dags"]) == 1
    assert api.own("/names?limit=0", 422)["detail"]


def test_where_every_service_lives_none_is_silent(api: Client) -> None:
    assert api.own("/services/silent") == {"silent": []}


def test_the_role_on_a_dag_is_told(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("sales"))
    assert api.own("/dags/sales/role") == {"role": "admin"}
    assert api.own("/dags/nothing/role", 404)["detail"]
