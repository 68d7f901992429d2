"""The options of callbacks, mail and lineage."""

from __future__ import annotations

from gnomon.ground.config.option import ConfigOption, OptionKind

_T, _I, _B, _N = OptionKind.TEXT, OptionKind.INTEGER, OptionKind.BOOLEAN, OptionKind.NUMBER
_NO_LOGIN = "No effect, as in Airflow 3: login and password are those of the connection of [email] email_conn_id."

ALERT_OPTIONS = (
    ConfigOption(
        "alerts",
        "base_url",
        "",
        _T,
        "The address of the web page in links of alerts, for example https://gnomon.example.com; empty: no links.",
        may_be_empty=True,
    ),
    ConfigOption(
        "alerts",
        "group_wait",
        "10",
        _N,
        "Seconds that the first message about a group of alerts waits for further ones.",
        minimum=0,
    ),
    ConfigOption(
        "housekeeping",
        "clean_at",
        "",
        _T,
        "The time of day, HH:MM in [core] default_timezone, at which the monitor deletes what is old; empty: never.",
        may_be_empty=True,
    ),
    ConfigOption("housekeeping", "older_than", "90d", _T, "The nightly clean deletes what ended before: 12h, 90d."),
    ConfigOption(
        "housekeeping",
        "keep_last",
        "100",
        _I,
        "Ended runs of each DAG that the nightly clean keeps at any age.",
        minimum=1,
    ),
    ConfigOption(
        "housekeeping",
        "tables",
        "runs,events,alerts,asset_events,dag_versions,logs",
        _T,
        "What the nightly clean deletes: runs, events, xcoms, alerts, asset_events, dag_versions, logs.",
    ),
    ConfigOption(
        "alerts", "group_interval", "300", _N, "Seconds between two messages about the same group of alerts.", minimum=0
    ),
    ConfigOption(
        "callbacks",
        "callback_execution_timeout",
        "0",
        _I,
        "Seconds after which a callback of a DAG, a deadline or a listener of runs is ended; 0: after 600 s. Airflow's 0 means no limit.",
        minimum=0,
    ),
    ConfigOption(
        "lineage",
        "max_assets_per_collector",
        "100",
        _I,
        "The most assets that hooks of a task may report as read, and as written; further ones are not collected.",
        minimum=0,
    ),
    ConfigOption(
        "lineage",
        "max_extras_per_collector",
        "200",
        _I,
        "The most other values that hooks of a task may report; further ones are not collected.",
        minimum=0,
    ),
    ConfigOption(
        "email",
        "email_backend",
        "airflow.utils.email.send_email_smtp",
        _T,
        "The function that sends mail, as a dotted path; it gets the arguments of airflow.utils.email.send_email_smtp.",
        may_be_empty=True,
    ),
    ConfigOption("email", "email_conn_id", "smtp_default", _T, "The connection of the mail server.", may_be_empty=True),
    ConfigOption("email", "default_email_on_retry", "True", _B, "Default of a task's email_on_retry."),
    ConfigOption("email", "default_email_on_failure", "True", _B, "Default of a task's email_on_failure."),
    ConfigOption(
        "email",
        "subject_template",
        "",
        _T,
        "The file with the Jinja template of the subject; empty: a built-in template.",
        may_be_empty=True,
    ),
    ConfigOption(
        "email",
        "html_content_template",
        "",
        _T,
        "The file with the Jinja template of the content; empty: a built-in template.",
        may_be_empty=True,
    ),
    ConfigOption(
        "email",
        "from_email",
        "",
        _T,
        "The sender, where [smtp] smtp_mail_from is empty and the connection has none.",
        may_be_empty=True,
    ),
    ConfigOption(
        "email",
        "ssl_context",
        "default",
        _T,
        "default: check certificates of the mail server; none: do not.",
        choices=("default", "none"),
    ),
    ConfigOption(
        "smtp",
        "smtp_host",
        "localhost",
        _T,
        "The mail server; the connection of [email] email_conn_id comes first if it has a host.",
    ),
    ConfigOption("smtp", "smtp_port", "25", _I, "Its port.", minimum=1),
    ConfigOption("smtp", "smtp_starttls", "True", _B, "Whether STARTTLS is used."),
    ConfigOption("smtp", "smtp_ssl", "False", _B, "Whether the connection is encrypted from its start."),
    ConfigOption("smtp", "smtp_mail_from", "airflow@example.com", _T, "The sender.", may_be_empty=True),
    ConfigOption("smtp", "smtp_timeout", "30", _I, "Seconds to wait for the mail server.", minimum=1),
    ConfigOption(
        "smtp", "smtp_retry_limit", "5", _I, "Further tries when the mail server closes the connection.", minimum=0
    ),
    ConfigOption("smtp", "smtp_user", "", _T, _NO_LOGIN, may_be_empty=True, is_used=False),
    ConfigOption("smtp", "smtp_password", "", _T, _NO_LOGIN, may_be_empty=True, is_secret=True, is_used=False),
)
