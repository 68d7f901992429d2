"""`airflow.providers.standard.operators.python`: names load when they are first used, since few files need the operators of virtual environments."""

from gnomon.airflow_compat.missing_names import make_lazy_exports

__all__, __getattr__ = make_lazy_exports(__name__, {
    "BranchExternalPythonOperator": "gnomon.operators.virtualenv",
    "BranchPythonOperator": "gnomon.operators.python",
    "BranchPythonVirtualenvOperator": "gnomon.operators.virtualenv",
    "ExternalPythonOperator": "gnomon.operators.virtualenv",
    "PythonOperator": "gnomon.operators.python",
    "PythonVirtualenvOperator": "gnomon.operators.virtualenv",
    "ShortCircuitOperator": "gnomon.operators.python",
    "get_current_context": "gnomon.operators.python",
    "_SERIALIZERS": "gnomon.operators.serializers:SERIALIZERS",
})
