"""`airflow.serialization.serialized_objects`."""

from gnomon.airflow_compat.missing_names import make_getattr

__getattr__ = make_getattr(__name__)
