"""Links of operators to pages of Gnomon. Authors find them in `operator_extra_links`; the page shows these relations itself."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from gnomon.authoring.sdk.runtime.xcom import BaseXCom
from gnomon.authoring.sdk.tasks.operator_links import BaseOperatorLink
from gnomon.ground.config import current_config

XCOM_RUN_ID = "trigger_run_id"
"""The XCom key of the id of the triggered run."""


class TriggerDagRunLink(BaseOperatorLink):
    """The page of the run that a TriggerDagRunOperator triggered."""

    name = "Triggered DAG"
    is_page_of_gnomon = True

    def get_link(self, operator: Any, *, ti_key: Any) -> str:
        """Return the address of the run, in a task; that of its DAG while there is none."""
        return find_page(operator.trigger_dag_id, BaseXCom.get_value(ti_key=ti_key, key=XCOM_RUN_ID))


class ExternalDagLink(BaseOperatorLink):
    """The page of the DAG that a sensor or a marker names."""

    name = "External DAG"
    is_page_of_gnomon = True

    def get_link(self, operator: Any, *, ti_key: Any) -> str:
        """Return the address of the DAG."""
        return find_page(operator.external_dag_id)


def find_page(dag_id: str, run_id: str | None = None) -> str:
    """Return the address of the page of a DAG or a run; relative to the server while [api] base_url is not set."""
    base = current_config().text("api", "base_url").rstrip("/")
    return f"{base}/dags/{quote(dag_id, safe='')}" + (f"/runs/{quote(run_id, safe='')}" if run_id else "")
