"""`airflow.sdk.definitions._internal.templater`."""

from gnomon.airflow_compat.missing_names import make_lazy_exports

__all__, __getattr__ = make_lazy_exports(__name__, {
    "LiteralValue": "gnomon.sdk.templating.resolvable",
    "NativeEnvironment": "gnomon.sdk.templating.rendering",
    "SandboxedEnvironment": "gnomon.sdk.templating.rendering",
    "Templater": "gnomon.sdk.templating.templater",
})
