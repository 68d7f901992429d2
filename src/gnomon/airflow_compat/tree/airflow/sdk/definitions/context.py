"""`airflow.sdk.definitions.context`."""

from airflow.utils.context import context_merge

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.author_code.context.template_context import Context
from gnomon.authoring.sdk import get_current_context, get_parsing_context

__all__ = ["Context", "context_merge", "get_current_context", "get_parsing_context"]
__getattr__ = make_getattr(__name__)
