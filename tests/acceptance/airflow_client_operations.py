"""Runs in the environment of `apache-airflow-client`: calls every operation that Gnomon claims. Prints JSON: the operations that were answered.

Arguments: address, patience in seconds, token. The DAGs are those of `test_airflow_client.py`. An answer that the client cannot read ends the program.
"""

import json
import sys
import time

from airflow_client.client import ApiClient, Configuration
from airflow_client.client import api as apis
from airflow_client.client import models as m

PATIENCE_S = float(sys.argv[2])
RUN = ("letters", "r")


class RecordingClient(ApiClient):
    """A client that notes each operation with an answer below 400, by its method and its path in Airflow's document."""

    answered = set()

    def param_serialize(self, method, resource_path, *args, **kwargs):
        self.current = f"{method} {resource_path}"
        return super().param_serialize(method, resource_path, *args, **kwargs)

    def call_api(self, *args, **kwargs):
        response = super().call_api(*args, **kwargs)
        if response.status < 400:
            self.answered.add(self.current)
        return response


def wait_for(look, what):
    ends_at = time.monotonic() + PATIENCE_S
    while not (found := look()):
        assert time.monotonic() < ends_at, f"not within {PATIENCE_S:g} s: {what}"
        time.sleep(0.1)
    return found


def bulk(kind, create, update, delete):
    return kind.from_dict(
        {
            "actions": [
                {"action": "create", "entities": [create]},
                {"action": "update", "entities": [update]},
                {"action": "delete", "entities": [delete]},
            ]
        }
    )


def read_everything(client):
    """What needs no DAG."""
    apis.MonitorApi(client).get_health()
    apis.VersionApi(client).get_version()
    for call in (
        apis.LoginApi(client).login_without_preload_content,
        apis.LoginApi(client).logout_without_preload_content,
    ):
        assert call().status == 200  # the page of the login: it is no JSON
    config = apis.ConfigApi(client)
    assert config.get_config().sections
    assert config.get_config_value("core", "dags_folder").sections
    apis.JobApi(client).get_jobs()
    apis.ProviderApi(client).get_providers()
    apis.PluginApi(client).get_plugins()
    apis.PluginApi(client).import_errors()
    apis.DagWarningApi(client).list_dag_warnings()
    errors = apis.ImportErrorApi(client)
    apis.ImportErrorApi(client).get_import_error(errors.get_import_errors().import_errors[0].import_error_id)
    events = apis.EventLogApi(client)
    events.get_event_log(events.get_event_logs().event_logs[0].event_log_id)


def change_named_objects(client):
    """Pools, Variables and connections."""
    pools = apis.PoolApi(client)
    pools.post_pool(m.PoolBody(name="p", slots=1))
    assert pools.patch_pool("p", m.PoolPatchBody(slots=2)).slots == 2
    assert pools.get_pool("p").slots == 2
    assert pools.get_pools().total_entries == 2
    assert pools.bulk_pools(
        bulk(m.BulkBodyPoolBody, {"name": "q", "slots": 1}, {"name": "q", "slots": 3}, "q")
    ).update.success == ["q"]
    pools.delete_pool("p")
    variables = apis.VariableApi(client)
    variables.post_variable(m.VariableBody(key="v", value="1"))
    variables.patch_variable("v", m.VariableBody(key="v", value="2"))
    assert variables.get_variable("v").value == "2"
    assert variables.get_variables().total_entries == 1
    variables.bulk_variables(bulk(m.BulkBodyVariableBody, {"key": "w", "value": 1}, {"key": "w", "value": 2}, "w"))
    variables.delete_variable("v")
    connections = apis.ConnectionApi(client)
    connections.post_connection(m.ConnectionBody(connection_id="c", conn_type="http", host="h"))
    assert (
        connections.patch_connection("c", m.ConnectionBody(connection_id="c", conn_type="http", host="i")).host == "i"
    )
    assert connections.get_connection("c").host == "i"
    assert connections.get_connections().total_entries == 1
    wanted = {"connection_id": "d", "conn_type": "http"}
    connections.bulk_connections(bulk(m.BulkBodyConnectionBody, wanted, {**wanted, "host": "x"}, "d"))
    assert not connections.test_connection(m.ConnectionBody(connection_id="c", conn_type="fs")).status
    connections.delete_connection("c")


def read_and_change_dags(client):
    """DAGs, their versions, sources and tasks."""
    dags = apis.DAGApi(client)
    wait_for(lambda: dags.get_dags().total_entries == 5, "five DAGs")
    assert [
        dag.is_paused for dag in dags.patch_dags(m.DAGPatchBody(is_paused=False), dag_id_pattern="letters").dags
    ] == [False]
    assert not dags.patch_dag("asks", m.DAGPatchBody(is_paused=False)).is_paused
    file_token = dags.get_dag("letters").file_token
    dags.favorite_dag("letters")
    assert dags.get_dag_details("letters").is_favorite
    assert [dag.dag_id for dag in dags.get_dags(is_favorite=True).dags] == ["letters"]
    dags.unfavorite_dag("letters")
    assert dags.get_dag_tags().tags == ["text"]
    assert apis.DagSourceApi(client).get_dag_source("letters").content
    assert apis.DagVersionApi(client).get_dag_versions("letters").total_entries == 1
    assert apis.DagVersionApi(client).get_dag_version("letters", 1).version_number == 1
    tasks = apis.TaskApi(client)
    assert {task.task_id for task in tasks.get_tasks("letters").tasks} >= {"count", "each", "group.inner"}
    assert tasks.get_task("letters", "count").task_id == "count"
    apis.DAGParsingApi(client).reparse_dag_file(file_token)
    dags.delete_dag("spare")


def run_letters(client):
    """Create run r of DAG letters, and wait for its end."""
    runs = apis.DagRunApi(client)
    assert (
        runs.trigger_dag_run(
            "letters", m.TriggerDAGRunPostBody(logical_date=None, dag_run_id="r", conf={"n": 2}, note="first")
        ).note
        == "first"
    )
    last = runs.wait_dag_run_until_finished_without_preload_content(*RUN, interval=0.2).data.decode().splitlines()[-1]
    assert json.loads(last)["state"] == "success", last
    assert runs.get_dag_run(*RUN).state.value == "success"
    assert runs.get_dag_runs("~").total_entries >= 1
    assert runs.get_list_dag_runs_batch("~", m.DAGRunsBatchBody(dag_ids=["letters"])).total_entries == 1
    assert apis.DagStatsApi(client).get_dag_stats(dag_ids=["letters"]).total_entries == 1


def read_and_change_task_instances(client):
    """The task instances of run r."""
    tasks = apis.TaskInstanceApi(client)
    assert tasks.get_task_instances(*RUN).total_entries == 5
    assert (
        tasks.get_task_instances_batch(
            "~", "~", m.TaskInstancesBatchBody(dag_ids=["letters"], task_ids=["count"])
        ).total_entries
        == 1
    )
    assert tasks.get_task_instance(*RUN, "count").state.value == "success"
    assert tasks.get_mapped_task_instances(*RUN, "each").total_entries == 2
    assert tasks.get_mapped_task_instance(*RUN, "each", 1).map_index == 1
    assert tasks.get_task_instance_tries(*RUN, "count").total_entries == 1
    assert tasks.get_mapped_task_instance_tries(*RUN, "each", 0).total_entries == 1
    assert tasks.get_task_instance_try_details(*RUN, "count", 1).try_number == 1
    assert tasks.get_mapped_task_instance_try_details(*RUN, "each", 1, 0).try_number == 1
    tasks.get_task_instance_dependencies(*RUN, "count")
    tasks.get_task_instance_dependencies_by_map_index(*RUN, "each", 0)
    assert tasks.get_log(*RUN, "count", 1, full_content=True).content
    apis.ExtraLinksApi(client).get_extra_links(*RUN, "count")
    failed = m.PatchTaskInstanceBody(new_state="failed")
    assert tasks.patch_task_instance_dry_run(*RUN, "count", failed).total_entries == 1
    assert tasks.patch_task_instance_dry_run_by_map_index(*RUN, "each", 0, failed).total_entries == 1
    assert (
        tasks.patch_task_instance(*RUN, "count", m.PatchTaskInstanceBody(note="slow")).task_instances[0].note == "slow"
    )
    assert tasks.patch_task_instance_by_map_index(*RUN, "each", 0, failed).task_instances[0].state.value == "failed"
    assert tasks.patch_task_group_instances_dry_run(*RUN, "group", failed).total_entries == 1
    assert tasks.patch_task_group_instances(*RUN, "group", failed).task_instances[0].state.value == "failed"
    entity = {"task_id": "count", "new_state": "skipped"}
    changed = tasks.bulk_task_instances(
        *RUN, m.BulkBodyBulkTaskInstanceBody.from_dict({"actions": [{"action": "update", "entities": [entity]}]})
    )
    assert changed.update.success == ["letters.r.count[-1]"]
    assert (
        tasks.post_clear_task_instances(
            "letters", m.ClearTaskInstancesBody(dag_run_id="r", only_failed=False)
        ).total_entries
        == 5
    )


def change_xcoms_and_states(client):
    """What task count has returned, and what it keeps."""
    xcoms = apis.XComApi(client)
    assert xcoms.get_xcom_entries("letters", "r", "count").total_entries == 1
    assert xcoms.get_xcom_entry("letters", "count", "r", "return_value")
    xcoms.create_xcom_entry("letters", "count", "r", m.XComCreateBody(key="k", value=1))
    xcoms.update_xcom_entry("letters", "count", "r", "k", m.XComUpdateBody(value=2))
    xcoms.delete_xcom_entry("letters", "count", "r", "k")
    states = apis.TaskStateStoreApi(client)
    states.set_task_state_store("a/b", *RUN, "count", m.TaskStateStoreBody(value={"n": 1}))
    states.patch_task_state_store("a/b", *RUN, "count", m.TaskStateStorePatchBody(value=[2]))
    assert states.get_task_state_store("a/b", *RUN, "count").key == "a/b"
    assert states.list_task_state_store(*RUN, "count").total_entries == 1
    states.delete_task_state_store("a/b", *RUN, "count")
    states.clear_task_state_store(*RUN, "count", all_map_indices=True)
    assert states.list_task_state_store(*RUN, "count").total_entries == 0


def use_assets(client):
    """Task write of DAG letters has written asset stock; DAG consume waits for it and another one."""
    assets, runs = apis.AssetApi(client), apis.DagRunApi(client)
    by_name = {asset.name: asset for asset in assets.get_assets().assets}
    stock = by_name["stock"].id
    assert assets.get_asset(stock).producing_tasks[0].task_id == "write"
    alias = assets.get_asset_aliases().asset_aliases[0]
    assert assets.get_asset_alias(alias.id)["name"] == alias.name == "feed"
    assert assets.get_asset_events(source_dag_id="letters").total_entries == 1
    assert runs.get_upstream_asset_events(*RUN).total_entries == 0
    assert assets.get_asset_queued_events(stock).total_entries == 1
    assert assets.get_dag_asset_queued_events("consume").total_entries == 1
    assert assets.get_dag_asset_queued_event("consume", stock).asset_id == stock
    assets.delete_dag_asset_queued_event("consume", stock)
    for delete in (
        lambda: assets.delete_asset_queued_events(stock),
        lambda: assets.delete_dag_asset_queued_events("consume"),
    ):
        assert assets.create_asset_event(m.CreateAssetEventsBody(asset_id=stock, extra={"a": 1})).asset_id == stock
        delete()
    assert assets.get_asset_queued_events(stock).total_entries == 0
    assert (
        assets.materialize_asset(stock, m.MaterializeAssetBody(dag_run_id="m", conf={"n": 1})).run_type.value
        == "asset_materialization"
    )
    states = apis.AssetStateStoreApi(client)
    states.set_asset_state_store("offset", stock, m.AssetStateStoreBody(value=5))
    assert states.get_asset_state_store("offset", stock).last_updated_by.kind.value == "api"
    assert states.list_asset_state_store(stock).total_entries == 1
    states.delete_asset_state_store("offset", stock)
    states.clear_asset_state_store(stock)


def answer_a_question(client):
    """Task ask of DAG asks waits for a person."""
    runs, tasks = apis.DagRunApi(client), apis.TaskInstanceApi(client)
    runs.trigger_dag_run("asks", m.TriggerDAGRunPostBody(logical_date=None, dag_run_id="q"))
    wait_for(lambda: tasks.get_hitl_details("asks", "q").total_entries, "a question")
    assert tasks.get_hitl_detail("asks", "q", "ask", -1).options == ["yes", "no"]
    wait_for(lambda: tasks.get_task_instance("asks", "q", "ask").state.value == "awaiting_input", "the task waits")
    tasks.update_hitl_detail("asks", "q", "ask", -1, m.UpdateHITLDetailPayload(chosen_options=["yes"]))
    assert tasks.get_hitl_detail_try_detail("asks", "q", "ask", -1, 1).response_received


def run_backfills(client):
    """A backfill of DAG daily, which is paused, so that no run of it starts."""
    backfills = apis.BackfillApi(client)
    body = m.BackfillPostBody.from_dict(
        {
            "dag_id": "daily",
            "from_date": "2026-01-01T00:00:00Z",
            "to_date": "2026-01-05T00:00:00Z",
            "max_active_runs": 1,
            "reprocess_behavior": "none",
        }
    )
    assert backfills.create_backfill_dry_run(body).total_entries >= 4
    made = backfills.create_backfill(body).id
    assert backfills.list_backfills("daily").total_entries == 1
    assert backfills.pause_backfill(made).is_paused
    assert not backfills.unpause_backfill(made).is_paused
    backfills.cancel_backfill(made)
    wait_for(lambda: backfills.get_backfill(made).completed_at, "the scheduler ends the backfill")


def change_runs(client):
    """Notes, states, clearing and deleting; the last, because the runs of the other parts are changed."""
    runs = apis.DagRunApi(client)
    assert runs.patch_dag_run(*RUN, m.DAGRunPatchBody(note="second")).note == "second"
    # with dry_run this client cannot read any answer: a task instance fits both kinds of entries that Airflow's document permits
    assert runs.clear_dag_run(*RUN, m.DAGRunClearBody(dry_run=False)).actual_instance.dag_run_id == "r"
    body = m.BulkDAGRunClearBody.from_dict({"dag_runs": [{"dag_run_id": "r"}], "dry_run": False})
    assert runs.clear_dag_runs("letters", body).actual_instance.total_entries == 1
    entity = {"dag_run_id": "r", "state": "failed"}
    changed = runs.bulk_dag_runs(
        "letters", m.BulkBodyBulkDAGRunBody.from_dict({"actions": [{"action": "update", "entities": [entity]}]})
    )
    assert changed.update.success == ["letters.r"]
    runs.delete_dag_run(*RUN)


with RecordingClient(Configuration(host=sys.argv[1], access_token=sys.argv[3])) as client:
    for part in (
        read_everything,
        change_named_objects,
        read_and_change_dags,
        run_letters,
        read_and_change_task_instances,
        change_xcoms_and_states,
        use_assets,
        answer_a_question,
        run_backfills,
        change_runs,
    ):
        part(client)
print(json.dumps(sorted(client.answered)))
