"""The published smtp provider, unmodified: its notifier as a callback of a task and of a DAG, and its operator, against an SMTP server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conformance.package_index import installed
from tests.patience import PATIENCE_S
from tests.smtp_server import smtp_server

pytestmark = pytest.mark.network
PROVIDER = ("apache-airflow-providers-smtp==3.2.0", "apache-airflow-providers-common-compat==1.23.0")
NEEDS = (
    "aiosmtplib==5.1.3",
    "packaging==26.3",
    "methodtools==0.4.7",
    "wirerope==1.0.0",
    "wrapt==2.5.2",
    "asgiref==3.13.0",
)
FLOW = """
from airflow.providers.smtp.notifications.smtp import SmtpNotifier, send_smtp_notification
from airflow.providers.smtp.operators.smtp import EmailOperator
from airflow.sdk import DAG, task

with DAG("mails", on_failure_callback=SmtpNotifier(to="dag@x.test", subject="{{ dag.dag_id }} {{ reason }}", html_content="<p>{{ run_id }}</p>")):
    EmailOperator(task_id="operator", to="operator@x.test", subject="of {{ dag.dag_id }}", html_content="<p>hi</p>")

    @task(on_failure_callback=send_smtp_notification(to="task@x.test"))
    def fails():
        raise ValueError("no rows")
    fails()
"""


def test_the_notifier_and_the_operator_of_the_provider_send_mail(tmp_path: Path) -> None:
    path = f"{installed('smtp-provider', *PROVIDER)}:{installed('needs-of-smtp-provider', *NEEDS)}"
    (tmp_path / "mails.py").write_text(FLOW)
    with smtp_server() as server:
        extra = {"disable_ssl": True, "disable_tls": True, "from_email": "robot@x.test"}
        connection = json.dumps({"conn_type": "smtp", "host": "127.0.0.1", "port": server.port, "extra": extra})
        environ = {
            **os.environ,
            "GNOMON_HOME": str(tmp_path / "home"),
            "PYTHONPATH": path,
            "AIRFLOW_CONN_SMTP_DEFAULT": connection,
        }
        ended = subprocess.run(
            [sys.executable, "-m", "gnomon", "dags", "test", str(tmp_path / "mails.py")],
            env=environ,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
    sent = {mail.recipients[0]: mail for mail in server.mails}
    assert sent.keys() == {"dag@x.test", "operator@x.test", "task@x.test"}, ended.stderr
    assert {mail.sender for mail in sent.values()} == {"robot@x.test"}
    assert (sent["dag@x.test"].message["Subject"], sent["operator@x.test"].message["Subject"]) == (
        "mails task_failure",
        "of mails",
    )
    assert "fails" in sent["task@x.test"].message["Subject"]
