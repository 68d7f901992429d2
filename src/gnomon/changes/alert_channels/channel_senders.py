"""Sends one message over one channel: e-mail, webhook and Slack in this process, a notifier in a child process."""

from __future__ import annotations

import smtplib
from collections.abc import Callable

from gnomon.authoring.sdk.connections.connection import Connection
from gnomon.authoring.sdk.runtime.email import send_email_smtp
from gnomon.changes.alert_channels.messages import build_html, build_slack_json, build_title, build_webhook_json
from gnomon.changes.alert_channels.webhook_post import KEY_HEADER, DeliveryFailed, build_headers, post
from gnomon.ground.clock import Clock
from gnomon.ground.config.alert_channels import AlertChannel
from gnomon.ground.config.environment import get_variable
from gnomon.ground.config.language_files import find_language
from gnomon.ground.config.language_names import ENGLISH
from gnomon.ground.log import secret_masks
from gnomon.model.alerts import DeliveryRecord
from gnomon.model.errors.authoring import AirflowException
from gnomon.model.languages.language import Language
from gnomon.model.sentences import say

SUBJECT_PREFIX = "[Gnomon] "
_FINAL_SMTP_CODES = range(500, 600)
NotifierCall = Callable[[AlertChannel, DeliveryRecord, Language | None], None]
"""Calls a notifier with the message in the language; raises DeliveryFailed."""


class ChannelSender:
    """Sends messages. Threads may call it at the same time."""

    def __init__(
        self,
        clock: Clock,
        call_notifier: NotifierCall,
        email_conn_id: str = "smtp_default",
        language: str = ENGLISH,
    ) -> None:
        """`language`: the id of the language of channels that name none."""
        self._clock = clock
        self._call_notifier = call_notifier
        self._email_conn_id = email_conn_id
        self._language = language

    def send(self, channel: AlertChannel, delivery: DeliveryRecord) -> None:
        """Send the message. Raises DeliveryFailed, whose text contains no secret."""
        try:
            language = find_language(channel.language or self._language)
            if channel.type == "email":
                self._send_mail(channel, delivery, language)
            elif channel.type == "notifier":
                self._call_notifier(channel, delivery, language)
            else:
                self._post(channel, delivery, language)
        except DeliveryFailed as error:
            raise DeliveryFailed(
                secret_masks.hide(str(error)), is_final=error.is_final, retry_after_s=error.retry_after_s
            ) from None

    def _send_mail(self, channel: AlertChannel, delivery: DeliveryRecord, language: Language | None) -> None:
        headers = {"Message-ID": f"<{delivery.uid}@gnomon>", KEY_HEADER: delivery.uid}
        try:
            send_email_smtp(
                channel.to,
                SUBJECT_PREFIX + build_title(delivery.body, language),
                build_html(delivery.body, language),
                conn_id=channel.conn_id or self._email_conn_id,
                custom_headers=headers,
            )
        except smtplib.SMTPResponseException as error:
            text = (
                error.smtp_error.decode(errors="replace")
                if isinstance(error.smtp_error, bytes)
                else str(error.smtp_error)
            )
            raise DeliveryFailed(
                say("mail_server_answered", number=error.smtp_code, text=text),
                is_final=error.smtp_code in _FINAL_SMTP_CODES,
            ) from None
        except smtplib.SMTPRecipientsRefused as error:
            raise DeliveryFailed(say("mail_server_refused", names=", ".join(error.recipients)), is_final=True) from None
        except (smtplib.SMTPException, OSError) as error:
            raise DeliveryFailed(str(error)) from None
        except (AirflowException, ValueError) as error:
            raise DeliveryFailed(str(error), is_final=True) from None

    def _post(self, channel: AlertChannel, delivery: DeliveryRecord, language: Language | None) -> None:
        url, secret = self._resolve(channel)
        build = build_slack_json if channel.type == "slack" else build_webhook_json
        body = build(delivery, language)
        post(url, body, build_headers(delivery.uid, secret, body, self._clock), channel.timeout_s, self._clock)

    def _resolve(self, channel: AlertChannel) -> tuple[str, str]:
        """The address and the secret of a webhook; both are hidden in logs from now on."""
        url, secret = channel.url, channel.secret
        if channel.url_env:
            url = _require_variable(channel, "url_env", channel.url_env)
        if channel.secret_env:
            secret = _require_variable(channel, "secret_env", channel.secret_env)
        if channel.conn_id:
            url, secret = self._resolve_connection(channel, secret)
        secret_masks.add_secrets([url, secret])
        return url, secret

    def _resolve_connection(self, channel: AlertChannel, secret: str) -> tuple[str, str]:
        try:
            connection = Connection.get(channel.conn_id)
        except (AirflowException, LookupError) as error:
            raise DeliveryFailed(
                say("connection_of_channel_fails", conn_id=channel.conn_id, name=channel.name, error=str(error)),
                is_final=True,
            ) from None
        host = connection.host or ""
        if not host:
            raise DeliveryFailed(
                say("connection_of_channel_lacks_host", conn_id=channel.conn_id, name=channel.name),
                is_final=True,
            )
        scheme = (
            connection.schema
            if connection.schema in ("http", "https")
            else "https"
            if connection.conn_type != "http" or connection.port == 443
            else "http"
        )
        base = host if "://" in host else f"{scheme}://{host}{f':{connection.port}' if connection.port else ''}"
        path = str(connection.extra_dejson.get("path", ""))
        if (
            channel.type == "slack" and connection.password
        ):  # as the provider of Slack: the token is the last part of the address
            return f"{base.rstrip('/')}/{connection.password.lstrip('/')}", ""
        return base + path, secret or connection.password or ""


def _require_variable(channel: AlertChannel, key: str, name: str) -> str:
    value = get_variable(name)
    if not value:
        raise DeliveryFailed(
            say("variable_of_channel_is_not_set", key=key, name=channel.name, variable=name),
            is_final=True,
        )
    return value
