"""The shapes of plugins in the API: names and fields are those of Airflow's document."""

from __future__ import annotations

from typing import Literal

from gnomon.api.common.shapes import Answer


class FastAPIAppResponse(Answer):
    """`FastAPIAppResponse` of Airflow's document."""

    app: str
    url_prefix: str
    name: str


class FastAPIRootMiddlewareResponse(Answer):
    """`FastAPIRootMiddlewareResponse` of Airflow's document."""

    middleware: str
    name: str


class ExternalViewResponse(Answer):
    """`ExternalViewResponse` of Airflow's document."""

    name: str
    icon: str | None = None
    icon_dark_mode: str | None = None
    url_route: str | None = None
    category: str | None = None
    nav_top_level: bool | None = False
    href: str
    destination: Literal["nav", "dag", "dag_run", "task", "task_instance", "base"] = "nav"


class ReactAppResponse(Answer):
    """`ReactAppResponse` of Airflow's document."""

    name: str
    icon: str | None = None
    icon_dark_mode: str | None = None
    url_route: str | None = None
    category: str | None = None
    nav_top_level: bool | None = False
    bundle_url: str
    destination: Literal["nav", "dag", "dag_run", "task", "task_instance", "base", "dashboard"] = "nav"


class AppBuilderViewResponse(Answer):
    """`AppBuilderViewResponse` of Airflow's document."""

    name: str | None = None
    category: str | None = None
    view: str | None = None
    label: str | None = None


class AppBuilderMenuItemResponse(Answer):
    """`AppBuilderMenuItemResponse` of Airflow's document."""

    name: str
    href: str
    category: str | None = None


class PluginResponse(Answer):
    """`PluginResponse` of Airflow's document."""

    name: str
    macros: list[str]
    flask_blueprints: list[str]
    fastapi_apps: list[FastAPIAppResponse]
    fastapi_root_middlewares: list[FastAPIRootMiddlewareResponse]
    external_views: list[ExternalViewResponse]
    react_apps: list[ReactAppResponse]
    appbuilder_views: list[AppBuilderViewResponse]
    appbuilder_menu_items: list[AppBuilderMenuItemResponse]
    global_operator_extra_links: list[str]
    operator_extra_links: list[str]
    source: str
    listeners: list[str]
    timetables: list[str]


class PluginCollectionResponse(Answer):
    """`PluginCollectionResponse` of Airflow's document."""

    plugins: list[PluginResponse]
    total_entries: int


class PluginImportErrorResponse(Answer):
    """`PluginImportErrorResponse` of Airflow's document."""

    source: str
    error: str


class PluginImportErrorCollectionResponse(Answer):
    """`PluginImportErrorCollectionResponse` of Airflow's document."""

    import_errors: list[PluginImportErrorResponse]
    total_entries: int


class ProviderResponse(Answer):
    """`ProviderResponse` of Airflow's document."""

    package_name: str
    description: str
    version: str
    documentation_url: str | None


class ProviderCollectionResponse(Answer):
    """`ProviderCollectionResponse` of Airflow's document."""

    providers: list[ProviderResponse]
    total_entries: int
