"""The mail of a task that failed or is retried: `email`, `email_on_failure`, `email_on_retry`."""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any

from gnomon.author_code.processes.author_traceback import trim_error
from gnomon.authoring.sdk.runtime.email import send_email
from gnomon.authoring.sdk.templating.templater import Templater
from gnomon.ground.config import current_config
from gnomon.ground.log.secret_masks import hide
from gnomon.model.errors.error_text import format_error
from gnomon.model.ids import UNMAPPED, quote_arguments

SUBJECT = "Airflow alert: {{ ti }}"
"""As in Airflow, so that filters of mail keep working."""
HTML_CONTENT = (
    "Try {{ try_number }} of {{ max_tries + 1 }} of task {{ ti.task_id }} in run {{ ti.run_id }} of DAG {{ ti.dag_id }} failed.<br>"
    "Exception:<br><pre>{{ exception_html }}</pre>"
    "Log: <code>{{ log_command }}</code><br>"
)


class MailText(Templater):
    """The texts of the mail as templates."""

    template_fields = ("subject", "html_content")

    def __init__(self, dag: Any, subject: str, html_content: str) -> None:
        self._dag = dag
        self.subject = subject
        self.html_content = html_content

    def get_dag(self) -> Any:
        """Return the DAG of the task, whose macros and filters the templates may use."""
        return self._dag


def send_task_mail(task: Any, context: Any) -> None:
    """Send the mail to `task.email`. Raises what the templates and the backend raise, and OSError for a template that cannot be read."""
    ti, error = context["ti"], context.get("exception")
    more = {
        "try_number": ti.try_number,
        "max_tries": ti.max_tries,
        "exception": error,
        "exception_html": html.escape(_format_error(error)).replace("\n", "<br>"),
        "log_command": html.escape(_build_log_command(ti), quote=False),
    }
    text = MailText(
        context["dag"],
        _read_template("subject_template", SUBJECT),
        _read_template("html_content_template", HTML_CONTENT),
    )
    text.render_template_fields(context | more)
    addresses = (
        task.email if isinstance(task.email, str) else [address for address in task.email if address is not None]
    )
    if not addresses:
        return
    send_email(addresses, " ".join(hide(text.subject).split()), hide(text.html_content))


def _build_log_command(ti: Any) -> str:
    """The command that shows the log of the instance, quoted for a shell."""
    shown = ti.task_id if ti.map_index == UNMAPPED else f"{ti.task_id}[{ti.map_index}]"
    return f"gnomon tasks logs {quote_arguments(ti.dag_id, ti.run_id, shown)}"


def _read_template(option: str, default: str) -> str:
    path = current_config().get("email", option, "")
    return Path(path).read_text(encoding="utf-8") if path else default


def _format_error(error: object) -> str:
    """The traceback as text, or the text of the reason, with hidden secrets."""
    if not isinstance(error, BaseException):
        return hide(str(error or ""))
    return hide(format_error(*trim_error(error)).strip())
