"""`airflow.providers.standard.get_provider_info`: the description of the package."""

import pkgutil
from importlib import import_module

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.tasks.task_decorators import OPERATOR_PATHS

__all__ = ["get_provider_info"]

_PACKAGE = "airflow.providers.standard"


def get_provider_info():
    """What the provider brings: its modules of operators, sensors, hooks and triggers, and its decorators."""
    kinds = {
        kind: [{"integration-name": "Standard", "python-modules": _list_modules(kind)}]
        for kind in ("operators", "sensors", "hooks", "triggers")
    }
    return {
        "package-name": "apache-airflow-providers-standard",
        "name": "Standard",
        "description": "Airflow Standard Provider\n",
        "integrations": [
            {"integration-name": "Standard", "external-doc-url": "https://airflow.apache.org/", "tags": ["apache"]}
        ],
        **kinds,
        "task-decorators": [{"class-name": path, "name": name} for name, path in OPERATOR_PATHS.items()],
    }


def _list_modules(kind):
    package = import_module(f"{_PACKAGE}.{kind}")
    return [f"{_PACKAGE}.{kind}.{module.name}" for module in pkgutil.iter_modules(package.__path__)]


__getattr__ = make_getattr(__name__)
