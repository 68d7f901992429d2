"""Callbacks, deadlines and mail: one standalone that calls them, and the options of the mail server one by one."""

from __future__ import annotations

import datetime as dt
import json
import socket
import ssl
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from tests.acceptance.effects import effect_of, options
from tests.acceptance.product import Product, product
from tests.smtp_server import SmtpServer, smtp_server
from tests.unit.author_code.runner.test_task_mail import failing, run

from gnomon.authoring.sdk import BaseOperator
from gnomon.authoring.sdk.runtime.email import find_server, send_email
from gnomon.ground.config import set_current_config

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")
FLOWS = """
import datetime as dt, os, time
from airflow.sdk import DAG, DeadlineAlert, DeadlineReference, SyncCallback, task

def note(context):
    print("called", context["reason"], context["dag_run"].state, context["ti"].task_id, flush=True)

def raises(context):
    raise ValueError("nobody listens")

def hangs(context):
    while True:
        try:
            time.sleep(600)
        except BaseException:
            print("deaf", flush=True)

def late(word, context):
    print("late", word, context["deadline"]["name"], context["dag_run"]["run_id"], flush=True)

with DAG("good", on_success_callback=note, on_failure_callback=raises):
    @task
    def works(): pass
    works()

with DAG("bad", on_failure_callback=[raises, note]):
    @task(email="boss@x.test", email_on_failure=True)
    def fails(): raise RuntimeError("no rows")
    fails()

def mourn(context):
    print("gone", context["ti"].task_id, context["exception"], flush=True)

with DAG("killed"):
    @task(on_failure_callback=mourn)
    def dies(): os.kill(os.getpid(), 9)
    dies()

with DAG("stuck", on_success_callback=hangs):
    works()

with DAG("late", deadline=DeadlineAlert(DeadlineReference.DAGRUN_QUEUED_AT, dt.timedelta(seconds=1), SyncCallback(late, {"word": "w"}), "soon")):
    @task
    def waits():
        while not os.path.exists("%(go)s"):
            time.sleep(0.05)
    waits()
"""


@pytest.fixture(scope="module")
def mailbox() -> Iterator[SmtpServer]:
    with smtp_server() as server:
        yield server


@pytest.fixture(scope="module")
def it(mailbox: SmtpServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    go = tmp_path_factory.mktemp("go") / "go"
    environ = {
        "GNOMON__SMTP__SMTP_HOST": "127.0.0.1",
        "GNOMON__SMTP__SMTP_PORT": str(mailbox.port),
        "GNOMON__SMTP__SMTP_STARTTLS": "False",
        "GNOMON__CALLBACKS__CALLBACK_EXECUTION_TIMEOUT": "1",
        "GNOMON__CORE__KILLED_TASK_CLEANUP_TIME": "1",
        "GO": str(go),
        "GNOMON__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
    }
    with product({"flows.py": FLOWS % {"go": go}}, environ) as made:
        made.has_dag("late")
        yield made


def shown(it: Product, dag_id: str, run_id: str) -> dict[str, Any]:
    """The run as `runs show` prints it, once all of its callbacks have ended."""
    found: dict[str, Any] = {}

    def over() -> bool:
        found.update(json.loads(it.do("runs", "show", dag_id, run_id, "-o", "json")))
        return bool(found["callbacks"]) and all(row["end_date"] for row in found["callbacks"])

    it.until(over, f"the callbacks of run {run_id} of {dag_id} have ended")
    return found


@linux
def test_a_success_calls_its_callback_on_a_worker(it: Product) -> None:
    run_id = it.run("good")["run_id"]
    (row,) = shown(it, "good", run_id)["callbacks"]
    assert (row["callback"], row["state"], row["reason"], row["tries"]) == ("on_success_callback", "success", None, 1)
    assert "called success success works" in it.do("runs", "logs", "good", run_id)


@linux
def test_a_failure_calls_every_callback_and_sends_the_mail_of_the_task(it: Product, mailbox: SmtpServer) -> None:
    run_id = it.run("bad")["run_id"]
    (row,) = shown(it, "bad", run_id)["callbacks"]
    assert (row["state"], row["reason"]) == ("failed", "on_failure_callback raises: ValueError: nobody listens")
    assert "called task_failure failed fails" in it.do("runs", "logs", "bad", run_id)
    assert "on_failure_callback failed at" in it.do("explain", "bad", run_id)
    assert [(mail.recipients, "RuntimeError: no rows" in mail.html) for mail in mailbox.mails] == [
        (["boss@x.test"], True)
    ]


@linux
def test_a_task_whose_process_is_killed_gets_its_callback_called_by_another(it: Product) -> None:
    run_id = it.run("killed")["run_id"]
    (row,) = shown(it, "killed", run_id)["callbacks"]
    assert (row["callback"], row["state"]) == ("callbacks of task dies", "success")
    assert "gone dies killed by signal 9" in it.do("runs", "logs", "killed", run_id)


@linux
@effect_of("callbacks.callback_execution_timeout")
def test_a_callback_that_hangs_never_holds_the_run_and_is_ended(it: Product) -> None:
    run = it.run("stuck")
    assert run["state"] == "success"
    (row,) = shown(it, "stuck", run["run_id"])["callbacks"]
    assert row["state"] == "failed" and "callback_execution_timeout: it ran for longer than 1 s" in row["reason"]
    assert "deaf" in it.do("runs", "logs", "stuck", run["run_id"])


@linux
def test_a_missed_deadline_calls_its_callback_while_the_run_goes_on(it: Product) -> None:
    run_id = it.do("dags", "trigger", "late").strip()
    found = shown(it, "late", run_id)
    assert (found["state"], [row["state"] for row in found["deadlines"]]) == ("running", ["missed"])
    assert f"late w soon {run_id}" in it.do("runs", "logs", "late", run_id)
    assert "deadline 'soon' was missed" in it.do("explain", "late", run_id)
    Path(it.env["GO"]).touch()
    assert it.ended("late", run_id)["state"] == "success"


# ---- the options of mail ---------------------------------------------------------------------------------------------
def use(tmp_path: Path, server: SmtpServer, **given: object) -> None:
    values = {"smtp__smtp_host": "127.0.0.1", "smtp__smtp_port": server.port, "smtp__smtp_starttls": "False", **given}
    set_current_config(options(tmp_path, **values))


@effect_of("smtp.smtp_host", "smtp.smtp_port", "smtp.smtp_mail_from", "email.from_email", "email.email_conn_id")
def test_the_mail_goes_to_the_server_of_the_options_or_of_the_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with smtp_server() as server, smtp_server() as other:
        use(tmp_path, server, smtp__smtp_mail_from="us@x.test")
        send_email("a@x.test", "s", "h")
        use(tmp_path, server, smtp__smtp_mail_from="", email__from_email="them@x.test")
        send_email("a@x.test", "s", "h")
        extra = {"disable_ssl": True, "disable_tls": True, "from_email": "robot@x.test"}
        monkeypatch.setenv(
            "AIRFLOW_CONN_MINE",
            json.dumps({"conn_type": "smtp", "host": "127.0.0.1", "port": other.port, "extra": extra}),
        )
        use(tmp_path, server, email__email_conn_id="mine")
        send_email("a@x.test", "s", "h")
    assert [mail.sender for mail in (*server.mails, *other.mails)] == ["us@x.test", "them@x.test", "robot@x.test"]


@effect_of("smtp.smtp_starttls", "smtp.smtp_retry_limit")
def test_a_server_without_starttls_is_refused_and_one_that_hangs_up_is_tried_again(tmp_path: Path) -> None:
    with smtp_server() as server:
        use(tmp_path, server, smtp__smtp_starttls="True")
        with pytest.raises(Exception, match="set \\[smtp\\] smtp_starttls to False"):
            send_email("a@x.test", "s", "h")
        use(tmp_path, server, smtp__smtp_retry_limit=1)
        server.drops = 2
        with pytest.raises(Exception, match="closed"):
            send_email("a@x.test", "s", "h")
        assert server.drops == 0
        server.drops = 1
        send_email("a@x.test", "s", "h")
        assert len(server.mails) == 1


@effect_of("smtp.smtp_ssl", "email.ssl_context")
def test_an_encrypted_server_needs_a_certificate_unless_none_is_asked_for(tmp_path: Path) -> None:
    with smtp_server(_self_signed(tmp_path)) as server:
        use(tmp_path, server, smtp__smtp_ssl="True")
        with pytest.raises(Exception, match="CERTIFICATE_VERIFY_FAILED"):
            send_email("a@x.test", "s", "h")
        use(tmp_path, server, smtp__smtp_ssl="True", email__ssl_context="none")
        send_email("a@x.test", "s", "h")
        assert len(server.mails) == 1


def _self_signed(folder: Path) -> ssl.SSLContext:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    begin = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
    signed = made.not_valid_before(begin).not_valid_after(begin.replace(year=2100)).sign(key, hashes.SHA256())
    plain = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "server.pem").write_bytes(plain + signed.public_bytes(serialization.Encoding.PEM))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem")
    return context


@effect_of("smtp.smtp_timeout")
def test_a_silent_server_is_given_up(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        use(tmp_path, SmtpServer(port=silent.getsockname()[1]), smtp__smtp_timeout=1)
        assert find_server(None).timeout_s == 1
        with pytest.raises(Exception, match="timed out"):
            send_email("a@x.test", "s", "h")


@effect_of("email.email_backend")
def test_another_backend_is_called_instead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "alert_backend.py").write_text(
        "def send(to, subject, html_content, **rest):\n    return f'{to} {subject}'\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    set_current_config(options(tmp_path, email__email_backend="alert_backend.send"))
    assert send_email(["a@x.test"], "s", "h") == "a@x.test s"
    set_current_config(options(tmp_path, email__email_backend="alert_backend.nothing"))
    with pytest.raises(Exception, match="email_backend is 'alert_backend.nothing', which cannot be imported"):
        send_email(["a@x.test"], "s", "h")


@effect_of("email.default_email_on_retry", "email.default_email_on_failure")
@pytest.mark.parametrize("value", [True, False])
def test_the_defaults_of_tasks_are_those_of_the_options(tmp_path: Path, value: bool) -> None:
    set_current_config(options(tmp_path, email__default_email_on_retry=value, email__default_email_on_failure=value))
    made = BaseOperator(task_id="t")
    assert (made.email_on_retry, made.email_on_failure) == (value, value)


@effect_of("email.subject_template", "email.html_content_template")
def test_the_texts_of_a_mail_are_those_of_the_templates(tmp_path: Path) -> None:
    (tmp_path / "subject").write_text("{{ ti.task_id }} failed")
    (tmp_path / "html").write_text("{{ exception_html }}")
    with smtp_server() as server:
        use(
            tmp_path,
            server,
            email__subject_template=tmp_path / "subject",
            email__html_content_template=tmp_path / "html",
        )
        run(failing())
    assert server.mails[0].message["Subject"] == "t failed"
    assert server.mails[0].html.startswith("Traceback")
