"""`airflow.serialization.serde`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.serialization.value_codec import deserialize, serialize

__all__ = ["deserialize", "serialize"]
__getattr__ = make_getattr(__name__)
