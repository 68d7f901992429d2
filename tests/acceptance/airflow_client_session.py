"""Runs in the environment of `apache-airflow-client`: what a user of it does. Prints JSON. Arguments: address, patience in seconds, token."""

import json
import sys
import time

from airflow_client.client import ApiClient, Configuration
from airflow_client.client.api import (
    dag_api,
    dag_run_api,
    import_error_api,
    monitor_api,
    task_instance_api,
    version_api,
    x_com_api,
)
from airflow_client.client.exceptions import ApiException
from airflow_client.client.models import DAGPatchBody, TriggerDAGRunPostBody

PATIENCE_S = float(sys.argv[2])

with ApiClient(Configuration(host=sys.argv[1], access_token=sys.argv[3])) as client:
    dags, runs = dag_api.DAGApi(client), dag_run_api.DagRunApi(client)
    tasks, xcoms = task_instance_api.TaskInstanceApi(client), x_com_api.XComApi(client)
    said = {
        "version": version_api.VersionApi(client).get_version().version,
        "scheduler": monitor_api.MonitorApi(client).get_health().scheduler.status,
        "dags": [[dag.dag_id, dag.is_paused, dag.tags[0].name] for dag in dags.get_dags(dag_id_pattern="letter").dags],
        "import_errors": import_error_api.ImportErrorApi(client).get_import_errors().total_entries,
    }
    dags.patch_dag("letters", DAGPatchBody(is_paused=False))
    run = runs.trigger_dag_run("letters", TriggerDAGRunPostBody(logical_date=None, dag_run_id="by/hand", conf={"n": 2}))
    said["created"] = [run.dag_run_id, run.run_type.value, run.conf, run.data_interval_start is not None]
    ends_at = time.monotonic() + PATIENCE_S
    while run.state.value not in ("success", "failed") and time.monotonic() < ends_at:
        time.sleep(0.1)
        run = runs.get_dag_run("letters", "by/hand")
    said["state"] = run.state.value
    said["runs"] = [
        [one.dag_id, one.dag_run_id]
        for one in runs.get_dag_runs("~", order_by=["-start_date"], state=["success"]).dag_runs
    ]
    found = tasks.get_task_instances("letters", "by/hand").task_instances
    said["tasks"] = sorted([one.task_id, one.map_index, one.state.value, one.try_number] for one in found)
    said["xcoms"] = sorted(
        one.key for one in xcoms.get_xcom_entries(dag_id="letters", dag_run_id="by/hand", task_id="count").xcom_entries
    )
    said["value"] = xcoms.get_xcom_entry(
        dag_id="letters", dag_run_id="by/hand", task_id="count", xcom_key="return_value"
    ).actual_instance.value
    log = tasks.get_log(dag_id="letters", dag_run_id="by/hand", task_id="count", try_number=1, full_content=True)
    said["log"] = [message.event for message in log.content.actual_instance if "counted" in message.event]
    said["token"] = log.continuation_token
    try:
        runs.trigger_dag_run("letters", TriggerDAGRunPostBody(logical_date=None, dag_run_id="by/hand"))
    except ApiException as error:
        said["conflict"] = [error.status, "by/hand" in json.loads(error.body)["detail"]]
    try:
        dags.get_dag("nothing")
    except ApiException as error:
        said["missing"] = error.status
print(json.dumps(said))
