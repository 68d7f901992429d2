"""`airflow.sdk.definitions._internal.templater`."""

from gnomon.airflow_compat.missing_names import make_lazy_exports

__all__, __getattr__ = make_lazy_exports(
    __name__,
    {
        "LiteralValue": "gnomon.authoring.sdk.arguments.resolvable",
        "NativeEnvironment": "gnomon.authoring.sdk.templating.rendering",
        "SandboxedEnvironment": "gnomon.authoring.sdk.templating.rendering",
        "Templater": "gnomon.authoring.sdk.templating.templater",
    },
)
