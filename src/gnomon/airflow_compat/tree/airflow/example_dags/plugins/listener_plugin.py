"""`airflow.example_dags.plugins.listener_plugin`: registers the listeners of `event_listener`, in code of our own."""

from airflow.example_dags.plugins import event_listener
from airflow.plugins_manager import AirflowPlugin

from gnomon.airflow_compat.missing_names import make_getattr

__all__ = ["MetadataCollectionPlugin"]


class MetadataCollectionPlugin(AirflowPlugin):
    """Registers the listeners."""

    name = "MetadataCollectionPlugin"
    listeners = [event_listener]


__getattr__ = make_getattr(__name__)
