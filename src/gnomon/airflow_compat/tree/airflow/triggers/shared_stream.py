"""`airflow.triggers.shared_stream`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.deferral.shared_stream import (
    AckTimeout,
    AdvanceItem,
    AdvanceOutcome,
    SharedStreamProducer,
    reject_shared_stream_event,
)

__all__ = ["AckTimeout", "AdvanceItem", "AdvanceOutcome", "SharedStreamProducer", "reject_shared_stream_event"]
__getattr__ = make_getattr(__name__)
