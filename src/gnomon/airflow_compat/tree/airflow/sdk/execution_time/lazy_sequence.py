"""`airflow.sdk.execution_time.lazy_sequence`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.members.lazy_xcoms import LazyXComSequence

__all__ = [
    "LazyXComSequence",
]
__getattr__ = make_getattr(__name__)
