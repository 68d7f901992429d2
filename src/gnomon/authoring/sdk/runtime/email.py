"""Mail: `send_email` by the backend of [email] email_backend, and `send_email_smtp`, the backend of the default.

The server comes from the connection (`conn_id`, by default [email] email_conn_id) where that has a host, with the fields of the smtp
provider; otherwise from the options of section [smtp], with login and password of the connection where it exists.
"""

from __future__ import annotations

import logging
import re
import smtplib
import ssl
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from email.mime.application import MIMEApplication
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from email.utils import formatdate
from importlib import import_module
from pathlib import Path
from typing import Any

from gnomon.authoring.sdk.connections.connection import Connection
from gnomon.ground.config import current_config
from gnomon.model.errors.authoring import AirflowConfigException, AirflowException, AirflowNotFoundException

log = logging.getLogger("gnomon.email")

Addresses = str | Iterable[str]
DEFAULT_BACKEND = "airflow.utils.email.send_email_smtp"
_SEPARATORS = re.compile(r"[,;]")


def send_email(
    to: Addresses,
    subject: str,
    html_content: str,
    files: list[str] | None = None,
    dryrun: bool = False,
    cc: Addresses | None = None,
    bcc: Addresses | None = None,
    mime_subtype: str = "mixed",
    mime_charset: str = "utf-8",
    conn_id: str | None = None,
    custom_headers: dict[str, Any] | None = None,
    **kwargs: Any,
) -> Any:
    """Send a mail by the function that [email] email_backend names; returns what that returns.

    Raises AirflowConfigException for a backend that cannot be imported, and what the backend raises.
    """
    options = current_config()
    kwargs.setdefault("from_email", options.get("email", "from_email", "") or None)
    return _find_backend()(
        ", ".join(get_email_address_list(to)),
        subject,
        html_content,
        files=files,
        dryrun=dryrun,
        cc=cc,
        bcc=bcc,
        mime_subtype=mime_subtype,
        mime_charset=mime_charset,
        conn_id=conn_id or options.get("email", "email_conn_id", "smtp_default"),
        custom_headers=custom_headers,
        **kwargs,
    )


def _find_backend() -> Callable[..., Any]:
    path = current_config().get("email", "email_backend", "") or DEFAULT_BACKEND
    if path == DEFAULT_BACKEND:
        return send_email_smtp
    module, _, name = path.rpartition(".")
    try:
        backend: Callable[..., Any] = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise AirflowConfigException(
            f"[email] email_backend is {path!r}, which cannot be imported ({error}); name a function by its full path"
        ) from error
    return backend


def send_email_smtp(
    to: Addresses,
    subject: str,
    html_content: str,
    files: list[str] | None = None,
    dryrun: bool = False,
    cc: Addresses | None = None,
    bcc: Addresses | None = None,
    mime_subtype: str = "mixed",
    mime_charset: str = "utf-8",
    conn_id: str | None = "smtp_default",
    from_email: str | None = None,
    custom_headers: dict[str, Any] | None = None,
    **_: Any,
) -> None:
    """Send an HTML mail by SMTP; with `dryrun` everything but the sending is done.

    `from_email`: the sender, where neither the connection nor [smtp] smtp_mail_from has one. `files`: paths of attachments. Raises
    ValueError without a sender, and the errors of smtplib and of the network, after [smtp] smtp_retry_limit further tries.
    """
    server = find_server(conn_id)
    sender = server.mail_from or from_email
    if not sender:
        raise ValueError(
            "the mail has no sender; set [smtp] smtp_mail_from, or [email] from_email, or from_email of the connection"
        )
    message, recipients = build_mime_message(
        sender, to, subject, html_content, files, cc, bcc, mime_subtype, mime_charset, custom_headers
    )
    if not dryrun:
        _deliver(server, sender, recipients, message)


def send_mime_email(
    e_from: str, e_to: str | list[str], mime_msg: MIMEMultipart, conn_id: str = "smtp_default", dryrun: bool = False
) -> None:
    """Send a message of `build_mime_message`; raises as `send_email_smtp` does."""
    if not dryrun:
        _deliver(find_server(conn_id), e_from, get_email_address_list(e_to), mime_msg)


def build_mime_message(
    mail_from: str | None,
    to: Addresses,
    subject: str,
    html_content: str,
    files: list[str] | None = None,
    cc: Addresses | None = None,
    bcc: Addresses | None = None,
    mime_subtype: str = "mixed",
    mime_charset: str = "utf-8",
    custom_headers: dict[str, Any] | None = None,
) -> tuple[MIMEMultipart, list[str]]:
    """Return the message and all its recipients, those of `cc` and `bcc` included."""
    message = MIMEMultipart(mime_subtype)
    message["Subject"] = subject
    if mail_from:
        message["From"] = mail_from
    groups = {
        "To": get_email_address_list(to),
        "CC": get_email_address_list(cc or []),
        "BCC": get_email_address_list(bcc or []),
    }
    message["To"] = ", ".join(groups["To"])
    if groups["CC"]:
        message["CC"] = ", ".join(groups["CC"])
    message["Date"] = formatdate(localtime=True)
    message.attach(MIMEText(html_content, "html", mime_charset))
    for file in files or ():
        path = Path(file)
        part = MIMEApplication(path.read_bytes(), Name=path.name)
        part["Content-Disposition"] = f'attachment; filename="{path.name}"'
        part["Content-ID"] = f"<{path.name}>"
        message.attach(part)
    for name, value in (custom_headers or {}).items():
        message[name] = value
    return message, [address for group in groups.values() for address in group]


def get_email_address_list(addresses: Addresses) -> list[str]:
    """The addresses of a text, split at commas and semicolons, or of a collection of texts. Raises TypeError for anything else."""
    if isinstance(addresses, str):
        return [part.strip() for part in _SEPARATORS.split(addresses) if part.strip()]
    if not isinstance(addresses, Iterable):
        raise TypeError(
            f"Unexpected argument type: Received '{type(addresses).__name__}'; give a text, or a list of texts."
        )
    listed = list(addresses)
    if not all(isinstance(item, str) for item in listed):
        raise TypeError("The items in your iterable must be strings.")
    return listed


@dataclass(frozen=True, slots=True)
class SmtpServer:
    """How to reach and use an SMTP server."""

    host: str
    port: int
    timeout_s: float
    retry_limit: int
    uses_ssl: bool
    uses_starttls: bool
    user: str
    password: str
    mail_from: str | None


def find_server(conn_id: str | None) -> SmtpServer:
    """The server of that connection, or of the options. Raises AirflowConfigException for an option that cannot be read."""
    connection = _find_connection(conn_id)
    options = current_config()
    if connection is not None and connection.host:
        extra = connection.extra_dejson
        uses_ssl = not _is_true(extra.get("disable_ssl"))
        return SmtpServer(
            connection.host,
            int(connection.port or (465 if uses_ssl else 587)),
            float(extra.get("timeout", 30)),
            int(extra.get("retry_limit", 5)),
            uses_ssl,
            not uses_ssl and not _is_true(extra.get("disable_tls")),
            connection.login or "",
            connection.password or "",
            extra.get("from_email") or None,
        )
    return SmtpServer(
        options.text("smtp", "smtp_host"),
        options.integer("smtp", "smtp_port"),
        options.number("smtp", "smtp_timeout"),
        options.integer("smtp", "smtp_retry_limit"),
        options.boolean("smtp", "smtp_ssl"),
        options.boolean("smtp", "smtp_starttls"),
        (connection.login if connection else None) or "",
        (connection.password if connection else None) or "",
        options.text("smtp", "smtp_mail_from") or None,
    )


def _find_connection(conn_id: str | None) -> Any:
    if not conn_id:
        return None
    try:
        return Connection.get(conn_id)
    except (AirflowNotFoundException, AirflowException, LookupError):
        return None


def _is_true(value: object) -> bool:
    return (
        value if isinstance(value, bool) else str(value or "").strip().lower() in ("1", "true", "yes", "on", "t", "y")
    )


def _deliver(server: SmtpServer, sender: str, recipients: list[str], message: MIMEMultipart) -> None:
    for attempt in range(server.retry_limit + 1):
        try:
            with _connect(server) as client:
                client.sendmail(sender, recipients, message.as_string())
        except smtplib.SMTPServerDisconnected:
            if attempt == server.retry_limit:
                raise
            log.warning("the SMTP server %s:%d closed the connection; next try", server.host, server.port)
        else:
            log.info("sent a mail to %s", ", ".join(recipients))
            return


def _connect(server: SmtpServer) -> smtplib.SMTP:
    """A client that is connected and logged in."""
    where = f"{server.host}:{server.port}"
    try:
        client: smtplib.SMTP
        if server.uses_ssl:
            client = smtplib.SMTP_SSL(server.host, server.port, timeout=server.timeout_s, context=_create_ssl_context())
        else:
            client = smtplib.SMTP(server.host, server.port, timeout=server.timeout_s)
    except smtplib.SMTPServerDisconnected:
        raise
    except OSError as error:
        raise ConnectionError(
            f"the SMTP server {where} cannot be reached: {error}; check [smtp] smtp_host and smtp_port, or the connection"
        ) from error
    try:
        if server.uses_starttls:
            client.starttls(context=_create_ssl_context())
        if server.user and server.password:
            client.login(server.user, server.password)
    except smtplib.SMTPNotSupportedError as error:
        client.close()
        raise smtplib.SMTPNotSupportedError(
            f"the SMTP server {where}: {error}; set [smtp] smtp_starttls to False if it has none"
        ) from error
    except BaseException:
        client.close()
        raise
    return client


def _create_ssl_context() -> ssl.SSLContext | None:
    chosen = current_config().text("email", "ssl_context")
    return None if chosen == "none" else ssl.create_default_context()
