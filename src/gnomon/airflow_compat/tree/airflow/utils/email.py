"""`airflow.utils.email`: mail by SMTP, with the options of section [smtp]."""

import smtplib as _smtplib
from email.message import EmailMessage as _EmailMessage
from pathlib import Path as _Path

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.context.airflow_configuration import conf as _conf

__all__ = ["get_email_address_list", "send_email", "send_email_smtp"]


def get_email_address_list(addresses):
    """The addresses of a text (split at commas and semicolons) or a list."""
    if isinstance(addresses, str):
        return [one.strip() for one in addresses.replace(";", ",").split(",") if one.strip()]
    return [one for address in addresses for one in get_email_address_list(address)]


def send_email(to, subject, html_content, files=None, dryrun=False, cc=None, bcc=None, mime_subtype="mixed",  # noqa: ARG001
               mime_charset="utf-8", conn_id=None, custom_headers=None, **kwargs):  # noqa: ARG001
    """The mail was handed to the SMTP server of section [smtp]."""
    message = _EmailMessage()
    message["Subject"] = subject
    message["From"] = _conf.get("smtp", "smtp_mail_from", fallback="gnomon@localhost")
    message["To"] = ", ".join(get_email_address_list(to))
    if cc:
        message["Cc"] = ", ".join(get_email_address_list(cc))
    for name, value in (custom_headers or {}).items():
        message[name] = value
    message.set_content(html_content, subtype="html", charset=mime_charset)
    for file in files or ():
        message.add_attachment(_Path(file).read_bytes(), maintype="application", subtype="octet-stream",
                               filename=_Path(file).name)
    receivers = [one for group in (to, cc, bcc) if group for one in get_email_address_list(group)]
    if not dryrun:
        _send(message, receivers)


def _send(message, receivers):
    host = _conf.get("smtp", "smtp_host", fallback="localhost")
    port = _conf.getint("smtp", "smtp_port", fallback=25)
    kind = _smtplib.SMTP_SSL if _conf.getboolean("smtp", "smtp_ssl", fallback=False) else _smtplib.SMTP
    with kind(host, port, timeout=_conf.getint("smtp", "smtp_timeout", fallback=30)) as server:
        if _conf.getboolean("smtp", "smtp_starttls", fallback=False):
            server.starttls()
        user = _conf.get("smtp", "smtp_user", fallback="")
        if user:
            server.login(user, _conf.get("smtp", "smtp_password", fallback=""))
        server.send_message(message, to_addrs=receivers)


send_email_smtp = send_email
__getattr__ = make_getattr(__name__)
