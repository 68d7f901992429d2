"""The options of this api-server, plugins, providers, and the processes as jobs."""

from __future__ import annotations

import re
from typing import Annotated, Any

from fastapi import Header, Query, Response

from gnomon.api.access.permissions import requires
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paging import PageParameters, cut_page
from gnomon.api.common.paths import Id
from gnomon.api.common.refusals import Refusal
from gnomon.api.context import ApiContext, Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.schemas.configuration_shapes import ConfigOptionResponse, ConfigResponse, ConfigSectionResponse
from gnomon.api.v2.schemas.plugins_shapes import (
    PluginCollectionResponse,
    PluginImportErrorCollectionResponse,
    PluginImportErrorResponse,
    PluginResponse,
    ProviderCollectionResponse,
    ProviderResponse,
)
from gnomon.author_code.loading.plugins import PluginRow
from gnomon.author_code.timetable_host import ask_and_wait
from gnomon.changes.actions.author_queries import make_question_handler
from gnomon.model.errors.timetable import PlanningError
from gnomon.model.sentences import quote, say

router = OperationRouter()
_READ_OPTIONS = requires(Permission.READ, ApiResource.CONFIGURATION)
_READ_PLUGINS = requires(Permission.READ, ApiResource.PLUGIN)
_SURVEY = "gnomon.author_code.loading.plugins:list_plugins"
_PROVIDERS = "gnomon.authoring.sdk.connections.provider_packages:describe_providers"
_BREAK = re.compile(r"\s*\n\s*")


@router.get("/config", tags=["Config"], dependencies=[_READ_OPTIONS], response_model=ConfigResponse)
def get_config(
    context: Context, section: str | None = None, accept: Annotated[str, Header()] = "*/*"
) -> ConfigResponse | Response:
    """The options and their values; secrets are masked."""
    sections: dict[str, list[ConfigOptionResponse]] = {}
    for setting in context.cfg.settings():
        if section in (None, setting.option.section):
            sections.setdefault(setting.option.section, []).append(
                ConfigOptionResponse(key=setting.option.name, value=setting.shown)
            )
    if section is not None and not sections:
        raise Refusal(404, say("name_does_not_exist", thing="section", name=section))
    return _answer(
        ConfigResponse(
            sections=[ConfigSectionResponse(name=name, options=options) for name, options in sections.items()]
        ),
        accept,
    )


@router.get(
    "/config/section/{section}/option/{option}",
    tags=["Config"],
    dependencies=[_READ_OPTIONS],
    response_model=ConfigResponse,
)
def get_config_value(
    section: Id, option: Id, context: Context, accept: Annotated[str, Header()] = "*/*"
) -> ConfigResponse | Response:
    """One option and its value; a secret is masked."""
    for setting in context.cfg.settings():
        if (setting.option.section, setting.option.name) == (section.lower(), option.lower()):
            answer = ConfigOptionResponse(key=setting.option.name, value=setting.shown)
            return _answer(
                ConfigResponse(sections=[ConfigSectionResponse(name=setting.option.section, options=[answer])]), accept
            )
    raise Refusal(404, say("option_of_section_does_not_exist", option=option, name=section))


@router.get("/plugins", tags=["Plugin"], dependencies=[_READ_PLUGINS])
def get_plugins(page: Annotated[PageParameters, Query()], context: Context) -> PluginCollectionResponse:
    """The plugins that can be loaded. A process of their own imports them."""
    rows = [row for row in _survey(context) if row.error is None]
    return PluginCollectionResponse(
        plugins=[_build_plugin(row) for row in cut_page(rows, page)], total_entries=len(rows)
    )


@router.get("/plugins/importErrors", tags=["Plugin"], dependencies=[_READ_PLUGINS])
def import_errors(context: Context) -> PluginImportErrorCollectionResponse:
    """The plugins that cannot be loaded, and why."""
    plugin_errors = [
        PluginImportErrorResponse(source=row.place, error=row.error)
        for row in _survey(context)
        if row.error is not None
    ]
    return PluginImportErrorCollectionResponse(import_errors=plugin_errors, total_entries=len(plugin_errors))


@router.get("/providers", tags=["Provider"], dependencies=[requires(Permission.READ, ApiResource.PROVIDER)])
def get_providers(page: Annotated[PageParameters, Query()], context: Context) -> ProviderCollectionResponse:
    """The installed provider packages. A process of their own describes them."""
    providers: list[tuple[str, str, str]] = _ask(context, _PROVIDERS, list[tuple[str, str, str]])
    answers = [
        ProviderResponse(
            package_name=name, version=version, description=_BREAK.sub(" ", text).strip(), documentation_url=None
        )
        for name, version, text in providers
    ]
    return ProviderCollectionResponse(providers=cut_page(answers, page), total_entries=len(answers))


def _answer(config: ConfigResponse, accept: str) -> ConfigResponse | Response:
    """As JSON, or as the text of an ini file where the client accepts only that."""
    if "text/plain" not in accept:
        return config
    lines = [
        line
        for config_section in config.sections
        for line in (
            f"[{config_section.name}]",
            *(f"{option.key} = {option.value}" for option in config_section.options),
            "",
        )
    ]
    return Response("\n".join(lines), media_type="text/plain")


def _survey(context: ApiContext) -> list[PluginRow]:
    rows: list[PluginRow] = _ask(context, _SURVEY, list[PluginRow])
    return rows


def _ask(context: ApiContext, function: str, kind: Any) -> Any:
    """The answer of a process that imports author code. Raises Refusal (503) when it fails. Any: `kind` is a type."""
    try:
        return ask_and_wait(context.cfg, function, kind, imports=True, answers=make_question_handler(context.cfg))
    except PlanningError as error:
        raise Refusal(503, quote(str(error))) from None


def _build_plugin(row: PluginRow) -> PluginResponse:
    nothing: dict[str, Any] = {
        name: []
        for name in (
            "macros",
            "flask_blueprints",
            "fastapi_apps",
            "fastapi_root_middlewares",
            "external_views",
            "react_apps",
            "appbuilder_views",
            "appbuilder_menu_items",
            "global_operator_extra_links",
            "operator_extra_links",
            "listeners",
        )
    }
    return PluginResponse(name=row.name, source=row.place, timetables=list(row.timetables), **nothing)
