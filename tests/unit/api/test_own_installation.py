"""What `/api/gnomon/v1` tells of the whole installation: work, dependencies, services; and what it hides."""

from __future__ import annotations

from tests.unit.api.served import Client, served
from tests.unit.entry.cli.deployment import HOURLY, NOW, SCHEDULER, Deployment, spec_of

from gnomon.api.access.hidden_names import HIDDEN, build_name_filter
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.context import ApiContext
from gnomon.api.health import HealthSnapshot
from gnomon.api.metrics.server_figures import ServerFigures
from gnomon.api.policies import AccessPolicy, ApiResource, Permission, User
from gnomon.api.server_heartbeat import ApiServerHeartbeat
from gnomon.ground.config.host_name import current_host_name
from gnomon.ground.metrics.figures import find_version
from gnomon.model.accounts import Grant, GrantKind, Identity, Role
from gnomon.model.sensor_waits import SensorWait
from gnomon.model.spec import ClearedTask, TaskSpec
from gnomon.model.upstream_edges import DependencySpec
from gnomon.testing import Play


class OneDag(AccessPolicy):
    """The user of every request sees the DAG down only."""

    def authorize(self, request: object, permission: Permission, resource: ApiResource, dag_id: str | None) -> User:
        return User(Identity("guest", Role.NONE, grants=(Grant(GrantKind.DAG, "down", Role.VIEWER),)))


def _fill(deployment: Deployment, api: Client) -> None:
    """DAG down waits for DAG up, which runs; run d1 of down waits for its turn behind d0."""
    down = spec_of("down", max_active_runs=1, depends_on=(DependencySpec(dag_id="up"),), timetable=HOURLY)
    deployment.add(spec_of("up", timetable=HOURLY), down)
    deployment.start()
    deployment.plays["only"] = Play(run_s=1e6)
    for dag_id, run_id in (("up", "u0"), ("down", "d0"), ("down", "d1")):
        api.send("POST", f"/dags/{dag_id}/dagRuns", {"logical_date": None, "dag_run_id": run_id})
    deployment.move(5)


def test_work_tells_what_runs_and_what_waits(api: Client, deployment: Deployment) -> None:
    _fill(deployment, api)
    work = api.own("/work")
    assert ("up", "u0", "only", "running") in [
        (one["dag_id"], one["run_id"], one["task"], one["state"]) for one in work["running"]
    ]
    waiting = {one["run_id"]: one for one in work["waiting"]}
    assert waiting["d1"]["state"] == "queued"
    assert any("max_active_runs" in reason for reason in waiting["d1"]["reasons"])
    assert work["late"] == []


def test_the_graph_has_a_line_for_each_dependency(api: Client, deployment: Deployment) -> None:
    _fill(deployment, api)
    (line,) = api.own("/dependencies/graph")["dependencies"]
    assert (line["dag_id"], line["task_id"], line["upstream_dag_id"], line["unknown"], line["error"]) == (
        "down",
        None,
        "up",
        False,
        None,
    )


def _add_sensors(deployment: Deployment) -> None:
    """DAG down waits for DAG up by a sensor, and for an unknown one; a task of up is a marker of a task of down."""
    waits = (SensorWait(dag_id="up", delta_s=3600.0), SensorWait(template="{{ var.value.x }}"))
    sensor = TaskSpec(task_id="sensor", waits_for=waits)
    marker = TaskSpec(task_id="marker", clears=ClearedTask(dag_id="down", task_id="sensor"))
    deployment.add(spec_of("up", tasks=(marker,), timetable=HOURLY), spec_of("down", tasks=(sensor,), timetable=HOURLY))


def test_sensors_and_markers_are_lines_of_the_graph_with_what_could_take_their_place(
    api: Client, deployment: Deployment
) -> None:
    _add_sensors(deployment)
    lines = {(one["kind"], one["upstream_dag_id"]): one for one in api.own("/dependencies/graph")["dependencies"]}
    assert set(lines) == {("sensor", "up"), ("sensor", "{{ var.value.x }}"), ("marker", "up")}
    assert lines["sensor", "up"]["could_be"] == 'depends_on=After("up", previous=1) of DAG'
    assert lines["sensor", "up"]["options"] == [
        "by ExternalTaskSensor",
        "1 h earlier",
        'could be depends_on=After("up", previous=1) of DAG',
    ]
    assert (lines["marker", "up"]["task_id"], lines["marker", "up"]["upstream_task_id"]) == ("sensor", "marker")
    assert not any(one["unknown"] for one in lines.values())
    day = api.own("/dependencies/day?dag_id=down&day=2026-03-02")
    found = {(one["kind"], one["upstream_dag_id"]): one for one in day["dependencies"]}
    assert [run["waits_for"] for run in found["sensor", "up"]["runs"]][:2] == [
        ["2026-03-01T23:00:00Z"],
        ["2026-03-02T00:00:00Z"],
    ]
    assert [run["waits_for"] for run in found["marker", "up"]["runs"]][:2] == [
        ["2026-03-02T00:00:00Z"],
        ["2026-03-02T01:00:00Z"],
    ]
    assert "its slots are known only when the task runs" in found["sensor", "{{ var.value.x }}"]["error"]


def test_the_waits_of_sensors_for_hidden_dags_are_not_told(api: Client, deployment: Deployment) -> None:
    _add_sensors(deployment)
    home = deployment.home
    context = ApiContext(
        home.cfg, home.clock, OneDag(), lambda: HealthSnapshot(NOW, ()), lambda seconds: None, deployment.db
    )
    with served(context) as guest:
        for answer in (guest.own("/dependencies/graph"), guest.own("/dependencies/day?dag_id=down")):
            assert [one["upstream_dag_id"] for one in answer["dependencies"]] == ["{{ var.value.x }}"]


def test_services_have_their_heartbeats(api: Client, deployment: Deployment) -> None:
    deployment.start()
    found = {one["service"]: one for one in api.own("/services")["services"]}
    assert set(found) == {"scheduler", "worker"}
    assert (found["scheduler"]["id"], found["scheduler"]["host"], found["scheduler"]["alive"]) == (
        SCHEDULER,
        "here",
        True,
    )
    assert found["worker"]["id"] == "worker-1"


def test_services_have_version_groups_and_slots_and_a_worker_the_hosts_that_use_it(
    api: Client, deployment: Deployment
) -> None:
    deployment.writes_figures = True
    deployment.start()
    deployment.move(30.0)
    found = {one["service"]: one for one in api.own("/services")["services"]}
    assert (found["scheduler"]["version"], found["scheduler"]["groups"], found["scheduler"]["slots"]) == (
        find_version(),
        64,
        None,
    )
    assert (found["worker"]["groups"], found["worker"]["used_by"]) == (None, ["here"])
    assert found["worker"]["slots"] > 0


def test_api_servers_are_services(api: Client, deployment: Deployment) -> None:
    figures = ServerFigures(deployment.clock, lambda: deployment.db)
    ApiServerHeartbeat(figures, lambda: deployment.db).beat()
    (found,) = [one for one in api.own("/services")["services"] if one["service"] == "api-server"]
    assert (found["id"], found["host"], found["version"], found["alive"]) == (
        figures.process_id,
        current_host_name(),
        find_version(),
        True,
    )


def test_nothing_of_a_hidden_dag_is_told(api: Client, deployment: Deployment) -> None:
    _fill(deployment, api)
    home = deployment.home
    context = ApiContext(
        home.cfg, home.clock, OneDag(), lambda: HealthSnapshot(NOW, ()), lambda seconds: None, deployment.db
    )
    with served(context) as guest:
        work = guest.own("/work")
        assert {one["dag_id"] for part in ("running", "waiting") for one in work[part]} == {"down"}
        assert guest.own("/dependencies/graph") == {"dependencies": []}


def test_a_sentence_names_no_hidden_dag(api: Client, deployment: Deployment) -> None:
    _fill(deployment, api)
    deployment.add(spec_of("up.long"), file="/dags/long.py")
    context = ApiContext(
        deployment.home.cfg,
        deployment.clock,
        OneDag(),
        lambda: HealthSnapshot(NOW, ()),
        lambda seconds: None,
        deployment.db,
    )
    guest, owner = (
        User(Identity("guest", Role.NONE, grants=(Grant(GrantKind.DAG, "down", Role.VIEWER),))),
        User(Identity("owner", Role.VIEWER)),
    )
    sentence = "down waits for up, up.long and backups"
    with deployment.db.read() as tx:
        assert (
            build_name_filter(VisibleDags(context, tx, guest))(sentence)
            == f"down waits for {HIDDEN}, {HIDDEN} and backups"
        )
        assert build_name_filter(VisibleDags(context, tx, owner))(sentence) == sentence
