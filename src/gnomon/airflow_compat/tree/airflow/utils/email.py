"""`airflow.utils.email`: mail by the backend of [email] email_backend."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.runtime.email import (
    build_mime_message,
    get_email_address_list,
    send_email,
    send_email_smtp,
    send_mime_email,
)

__all__ = ["build_mime_message", "get_email_address_list", "send_email", "send_email_smtp", "send_mime_email"]

__getattr__ = make_getattr(__name__)
