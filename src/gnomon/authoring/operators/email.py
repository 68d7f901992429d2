"""EmailOperator: sends a mail."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gnomon.authoring.sdk.runtime.email import Addresses, send_email
from gnomon.authoring.sdk.tasks.operator import BaseOperator


class EmailOperator(BaseOperator):
    """Sends a mail by the backend of [email] email_backend. `files`: paths of attachments; `conn_id`: the connection of the server."""

    template_fields = ("to", "subject", "html_content", "files", "cc", "bcc", "custom_headers")
    template_fields_renderers = {"html_content": "html"}
    template_ext = (".html",)
    ui_color = "#e6faf9"

    def __init__(
        self,
        *,
        to: Addresses,
        subject: str,
        html_content: str,
        files: Sequence[str] | None = None,
        cc: Addresses | None = None,
        bcc: Addresses | None = None,
        mime_subtype: str = "mixed",
        mime_charset: str = "utf-8",
        conn_id: str | None = None,
        custom_headers: dict[str, Any] | None = None,
        from_email: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.to = to
        self.subject = subject
        self.html_content = html_content
        self.files = files or []
        self.cc = cc
        self.bcc = bcc
        self.mime_subtype = mime_subtype
        self.mime_charset = mime_charset
        self.conn_id = conn_id
        self.custom_headers = custom_headers
        self.from_email = from_email

    def execute(self, context: Any) -> None:
        """Send the mail. Raises what the backend raises."""
        sender: dict[str, Any] = {} if self.from_email is None else {"from_email": self.from_email}
        send_email(
            self.to,
            self.subject,
            self.html_content,
            files=list(self.files),
            cc=self.cc,
            bcc=self.bcc,
            mime_subtype=self.mime_subtype,
            mime_charset=self.mime_charset,
            conn_id=self.conn_id,
            custom_headers=self.custom_headers,
            **sender,
        )
