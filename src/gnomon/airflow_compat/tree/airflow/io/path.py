"""`airflow.io.path`: names load when they are first used, because they need the extra `object-storage`."""

from gnomon.airflow_compat.missing_names import make_lazy_exports

__all__, __getattr__ = make_lazy_exports(
    __name__,
    {
        "ObjectStoragePath": "gnomon.authoring.sdk.storage.object_storage_path",
    },
)
