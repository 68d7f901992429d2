"""The mail of a task: to whom, at which outcomes, with which text, through which server. A real SMTP server receives it."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.smtp_server import SmtpServer, smtp_server

from gnomon.author_code.runner import run_attempt
from gnomon.authoring.operators.email import EmailOperator
from gnomon.authoring.operators.python import PythonOperator
from gnomon.authoring.sdk import DAG
from gnomon.authoring.sdk.connections.channel import install_channel
from gnomon.authoring.sdk.connections.secret_masking import mask_secret
from gnomon.authoring.sdk.runtime.email import build_mime_message, get_email_address_list, send_email, send_email_smtp
from gnomon.ground.config import load_config, set_current_config
from gnomon.ground.log.secret_masks import forget_secrets
from gnomon.model.attempts import Attempt, AttemptResult, RunFacts

pytestmark = pytest.mark.ordinary


@pytest.fixture
def server() -> Iterator[SmtpServer]:
    with smtp_server() as running:
        yield running


def use(tmp_path: Path, server: SmtpServer, **given: object) -> None:
    """The options `section__name=value`, and those of the server."""
    values = {"smtp__smtp_host": "127.0.0.1", "smtp__smtp_port": server.port, "smtp__smtp_starttls": "False", **given}
    set_current_config(load_config({f"GNOMON__{name.upper()}": str(value) for name, value in values.items()}, tmp_path))


class Silent:
    def ask(self, question: object) -> object:
        return None


def _boom() -> None:
    raise ValueError("no <rows>")


def _leak() -> None:
    raise ValueError('login with p"ss & <word> failed')


def run(dag: DAG, task_id: str = "t", run_id: str = "r", **fields: Any) -> AttemptResult:
    facts = RunFacts(run_pk=7, dag_id="d", run_id=run_id, run_type="manual", run_after=0, logical_at=0)
    attempt = Attempt(
        attempt_id="a", group_no=3, epoch=1, run=facts, task_id=task_id, task_no=5, file="/d.py", **fields
    )
    try:
        return run_attempt(dag, attempt, Silent())
    finally:
        install_channel(None)


def failing(**arguments: Any) -> DAG:
    dag = DAG("d", schedule=None)
    PythonOperator(task_id="t", dag=dag, **{"python_callable": _boom, "email": "a@x.test; b@x.test", **arguments})
    return dag


def test_a_task_that_failed_sends_a_mail_with_the_exception(tmp_path: Path, server: SmtpServer) -> None:
    use(tmp_path, server)
    assert run(failing(email=["a@x.test", "b@x.test"])).outcome == "failed"
    (mail,) = server.mails
    assert (mail.sender, mail.recipients) == ("airflow@example.com", ["a@x.test", "b@x.test"])
    assert mail.message["Subject"] == "Airflow alert: <TaskInstance: d.t r [failed]>"
    assert "Try 1 of 1 of task t in run r of DAG d" in mail.html and "ValueError: no &lt;rows&gt;" in mail.html


@pytest.mark.parametrize(
    ("run_id", "index", "command"),
    [
        ("r x/1", -1, "gnomon tasks logs d 'r x/1' t"),
        ("it's; rm", -1, "gnomon tasks logs d 'it'\"'\"'s; rm' t"),
        ("-r", -1, "gnomon tasks logs -- d -r t"),
        ("r", 2, "gnomon tasks logs d r 't[2]'"),
        ("r<b>", -1, "gnomon tasks logs d 'r&lt;b&gt;' t"),
    ],
)
def test_the_command_in_a_mail_is_quoted_for_a_shell(
    tmp_path: Path, server: SmtpServer, run_id: str, index: int, command: str
) -> None:
    use(tmp_path, server)
    dag = failing()
    if index >= 0:
        with DAG("d") as dag:
            PythonOperator.partial(task_id="t", python_callable=_boom, email="a@x.test").expand(op_args=[[], [], []])
    run(dag, run_id=run_id, map_index=index)
    assert f"<code>{command}</code>" in server.mails[0].html


def test_a_mail_has_no_secret(tmp_path: Path, server: SmtpServer) -> None:
    use(tmp_path, server)
    mask_secret('p"ss & <word>')
    try:
        assert run(failing(python_callable=_leak)).outcome == "failed"
    finally:
        forget_secrets()
    (mail,) = server.mails
    assert "ValueError: login with *** failed" in mail.html
    assert "word" not in mail.html.partition("ValueError")[2]


@pytest.mark.parametrize(
    ("arguments", "max_tries", "sent"),
    [
        ({}, 1, 1),
        ({"email_on_retry": False}, 1, 0),
        ({"email_on_retry": False}, 0, 1),
        ({"email_on_failure": False}, 0, 0),
    ],
)
def test_a_retry_and_a_failure_are_mailed_as_the_task_says(
    tmp_path: Path, server: SmtpServer, arguments: dict[str, Any], max_tries: int, sent: int
) -> None:
    use(tmp_path, server)
    run(failing(**arguments), max_tries=max_tries)
    assert len(server.mails) == sent


def test_the_options_give_the_defaults_and_the_templates(tmp_path: Path, server: SmtpServer) -> None:
    (tmp_path / "subject").write_text("{{ ti.task_id }}\nfailed")
    (tmp_path / "html").write_text("<b>{{ exception_html }}</b> {{ dag.dag_id }}")
    use(
        tmp_path,
        server,
        email__subject_template=tmp_path / "subject",
        email__html_content_template=tmp_path / "html",
        email__default_email_on_retry="False",
    )
    dag = failing()
    run(dag, max_tries=1)
    assert server.mails == []
    run(dag)
    assert server.mails[0].message["Subject"] == "t failed"
    assert server.mails[0].html.endswith("</b> d")


def test_mail_that_cannot_be_sent_changes_no_outcome_and_the_log_says_why(
    tmp_path: Path, server: SmtpServer, caplog: pytest.LogCaptureFixture
) -> None:
    use(tmp_path, server, smtp__smtp_starttls="True")
    with caplog.at_level(logging.INFO):
        result = run(failing())
    assert (result.outcome, result.reason) == ("failed", "ValueError: no <rows>")
    assert "the mail of email_on_failure could not be sent to a@x.test; b@x.test" in caplog.text
    assert "set [smtp] smtp_starttls to False" in caplog.text


def test_the_connection_gives_the_login(tmp_path: Path, server: SmtpServer, monkeypatch: pytest.MonkeyPatch) -> None:
    use(tmp_path, server)
    monkeypatch.setenv(
        "AIRFLOW_CONN_SMTP_DEFAULT", json.dumps({"conn_type": "smtp", "login": "me", "password": "secret"})
    )
    send_email("a@x.test", "s", "h")
    assert server.logins == ["|me|secret"]


def test_a_connection_with_a_host_replaces_the_options(
    tmp_path: Path, server: SmtpServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(tmp_path, server, smtp__smtp_port=1)
    extra = {"disable_ssl": True, "disable_tls": True, "from_email": "robot@x.test"}
    monkeypatch.setenv(
        "AIRFLOW_CONN_MINE", json.dumps({"conn_type": "smtp", "host": "127.0.0.1", "port": server.port, "extra": extra})
    )
    send_email("a@x.test", "s", "h", conn_id="mine")
    assert server.mails[0].sender == "robot@x.test"


def test_a_server_that_hangs_up_is_tried_again(tmp_path: Path, server: SmtpServer) -> None:
    use(tmp_path, server, smtp__smtp_retry_limit=2)
    server.drops = 2
    send_email_smtp("a@x.test", "s", "h")
    assert len(server.mails) == 1


def test_another_backend_gets_the_arguments(
    tmp_path: Path, server: SmtpServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "our_mailer.py").write_text(
        "SEEN = []\ndef send(to, subject, html_content, **rest):\n    SEEN.append((to, subject, rest['from_email'], rest['conn_id']))\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    use(
        tmp_path,
        server,
        email__email_backend="our_mailer.send",
        email__from_email="us@x.test",
        email__email_conn_id="ses",
    )
    send_email(["a@x.test", "b@x.test"], "s", "h")
    import our_mailer  # type: ignore[import-not-found]

    assert our_mailer.SEEN == [("a@x.test, b@x.test", "s", "us@x.test", "ses")]
    assert server.mails == []


def test_the_email_operator_renders_its_fields_and_attaches_files(tmp_path: Path, server: SmtpServer) -> None:
    use(tmp_path, server)
    (tmp_path / "report.csv").write_text("1;2")
    dag = DAG("d", schedule=None)
    EmailOperator(
        task_id="t",
        to="{{ run_id }}@x.test",
        subject="of {{ ds }}",
        html_content="<p>{{ dag.dag_id }}</p>",
        cc="c@x.test",
        bcc=["d@x.test"],
        files=[str(tmp_path / "report.csv")],
        custom_headers={"X-Team": "us"},
        dag=dag,
    )
    assert run(dag).outcome == "success"
    (mail,) = server.mails
    assert (mail.recipients, mail.html) == (["r@x.test", "c@x.test", "d@x.test"], "<p>d</p>")
    assert (mail.message["Subject"], mail.message["X-Team"], mail.message["BCC"]) == ("of 1970-01-01", "us", None)
    assert [part.get_filename() for part in mail.message.walk() if part.get_filename()] == ["report.csv"]


def test_addresses_are_split_at_commas_and_semicolons() -> None:
    assert get_email_address_list("a@x, b@x;c@x ,") == ["a@x", "b@x", "c@x"]
    with pytest.raises(TypeError, match="must be strings"):
        get_email_address_list([1])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="Received 'int'"):
        get_email_address_list(1)  # type: ignore[arg-type]
    assert build_mime_message("me@x", "a@x", "s", "h", bcc="b@x")[1] == ["a@x", "b@x"]


def test_none_among_the_addresses_gets_no_mail_and_the_dag_says_so(tmp_path: Path, server: SmtpServer) -> None:
    use(tmp_path, server)
    found = failing(email=[None, "a@x.test"])
    assert [warning.partition("email=")[2] for warning in found.warnings] == [
        " has None among its addresses, which gets no mail."
    ]
    assert run(found).outcome == run(failing(email=[None])).outcome == "failed"
    assert [mail.recipients for mail in server.mails] == [["a@x.test"]]
