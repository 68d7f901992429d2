"""Rendering: Jinja environments, template files, values inside containers."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import jinja2
import jinja2.nativetypes
import jinja2.sandbox

from gnomon.authoring.sdk.arguments.code_location import format_location
from gnomon.authoring.sdk.arguments.resolvable import LiteralValue, Resolvable
from gnomon.authoring.sdk.templating.lazy_environment import LazyEnvironment, TemplateOwner
from gnomon.authoring.sdk.templating.template_filters import FILTERS
from gnomon.authoring.sdk.templating.template_notes import add_template_note
from gnomon.model.errors.authoring import AirflowException

if TYPE_CHECKING:
    from gnomon.authoring.sdk.nodes.node_types import DagNode


class SandboxedEnvironment(jinja2.sandbox.SandboxedEnvironment):
    """A sandbox in which templates may use attributes that begin with one underscore. It has Airflow's filters."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.filters.update(FILTERS)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        return not jinja2.sandbox.is_internal_attribute(obj, attr)


class NativeEnvironment(jinja2.nativetypes.NativeEnvironment):
    """Templates render to Python objects instead of text. It has Airflow's filters."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.filters.update(FILTERS)


def get_environment(owner: TemplateOwner, dag: DagNode | None) -> jinja2.Environment:
    """Return the environment of the DAG; a native one when render_template_as_native_obj of the owner, or else of the DAG, is set."""
    native = getattr(owner, "render_template_as_native_obj", None)
    if native is None:
        native = bool(dag is not None and dag.render_template_as_native_obj)
    if dag is None:
        return make_environment(native=native)
    cached: dict[bool, jinja2.Environment] = dag.__dict__.setdefault("_environments", {})
    if native not in cached:
        cached[native] = make_environment(
            native=native,
            searchpath=dag.template_folders(),
            undefined=dag.template_undefined,
            options=dag.jinja_environment_kwargs,
            macros=dag.user_defined_macros,
            filters=dag.user_defined_filters,
        )
    return cached[native]


def make_environment(
    *,
    native: bool = False,
    searchpath: Iterable[str] = (),
    undefined: type[jinja2.Undefined] | None = None,
    options: Mapping[str, Any] | None = None,
    macros: Mapping[str, Any] | None = None,
    filters: Mapping[str, Any] | None = None,
) -> jinja2.Environment:
    """Return an environment with Airflow's filters; by default an undefined name in a template raises UndefinedError."""
    settings: dict[str, Any] = {
        "loader": jinja2.FileSystemLoader(list(searchpath)),
        "undefined": undefined or jinja2.StrictUndefined,
        "extensions": ["jinja2.ext.do"],
        "cache_size": 50,
        **(options or {}),
    }
    env: jinja2.Environment = NativeEnvironment(**settings) if native else SandboxedEnvironment(**settings)
    env.globals.update(macros or {})
    env.filters.update(filters or {})
    return env


def render_fields(
    owner: TemplateOwner, parent: Any, names: Iterable[str], context: Mapping[str, Any], env: Any, seen_ids: set[int]
) -> None:
    """Replace each named attribute of `parent` by its rendered value. An error gets a note with the field and the task.

    As in Airflow, an empty value stays as it is, also where native rendering would make None of an empty text, and a function is called
    with `context` and `jinja_env` and replaced by its result.
    """
    for name in names:
        if not hasattr(parent, name):
            raise AttributeError(
                f"{type(parent).__name__!r} names {name!r} in template_fields but has no such attribute"
                f"{format_location(getattr(parent, '_location', None))}. Assign self.{name} in __init__, or remove it from template_fields."
            )
        value = getattr(parent, name)
        if not _is_true(value):
            continue
        try:
            if callable(value):
                rendered = value(context=context, jinja_env=_resolve_environment(env))
            else:
                rendered = owner.render_template(value, context, env, seen_ids)
        except Exception as error:
            add_template_note(error, f"template field {name!r}", parent, value)
            raise
        if rendered is not value:
            setattr(parent, name, rendered)


def _is_true(value: Any) -> bool:
    """Return the truth value; True for an object without a truth value, such as a data frame."""
    try:
        return bool(value)
    except Exception:
        return True


def render_value(owner: TemplateOwner, content: Any, context: Mapping[str, Any], env: Any, seen_ids: set[int]) -> Any:
    """Return the content with templates rendered and XComArgs resolved; an object whose id is in `seen_ids` stays as it is."""
    if seen_ids and id(content) in seen_ids:
        return content
    if isinstance(content, str):
        return _render_text(owner, content, context, env)
    if isinstance(content, LiteralValue):
        return content.value
    if isinstance(content, Resolvable):
        return content.resolve(context)
    if isinstance(content, int | float | bool | None):
        return content
    if type(content) is tuple:
        return tuple(owner.render_template(item, context, env, seen_ids) for item in content)
    if isinstance(content, tuple):
        return type(content)(*(owner.render_template(item, context, env, seen_ids) for item in content))
    if isinstance(content, list):
        return [owner.render_template(item, context, env, seen_ids) for item in content]
    if isinstance(content, dict):
        return {key: owner.render_template(item, context, env, seen_ids) for key, item in content.items()}
    if isinstance(content, set):
        return {owner.render_template(item, context, env, seen_ids) for item in content}
    if isinstance(getattr(content, "template_fields", None), Iterable) and not isinstance(content, type):
        seen_ids.add(id(content))
        render_fields(owner, content, content.template_fields, context, env, seen_ids)
    return content


def _render_text(owner: TemplateOwner, text: str, context: Mapping[str, Any], env: Any) -> Any:
    if owner.template_ext and text.endswith(tuple(owner.template_ext)):
        environment = _resolve_environment(env)
        try:
            return _render_compiled(environment, environment.get_template(text), context)
        except jinja2.TemplateNotFound as error:
            folders = ", ".join(getattr(environment.loader, "searchpath", ())) or "no folder"
            raise AirflowException(
                f"Template file {error.name!r} was not found; looked in {folders}. Put it beside the DAG file, name its "
                "folder in the DAG's template_searchpath, or end the text with a space if it is not a file name."
            ) from error
    if "{" not in text and "\n" not in text and "\r" not in text and _renders_to_itself(owner, env):
        return text
    environment = _resolve_environment(env)
    return _render_compiled(environment, environment.from_string(text), context)


def _renders_to_itself(owner: TemplateOwner, env: Any) -> bool:
    """Return whether a text without braces and line ends renders to itself: with default options and without native rendering."""
    if isinstance(env, LazyEnvironment):
        dag = owner.get_dag()
        native = getattr(owner, "render_template_as_native_obj", None)
        if native is None and dag is not None:
            native = dag.render_template_as_native_obj
        return not native and not (dag is not None and dag.jinja_environment_kwargs)
    return False


def _resolve_environment(env: Any) -> jinja2.Environment:
    real: jinja2.Environment = env() if isinstance(env, LazyEnvironment) else env
    return real


def _render_compiled(env: jinja2.Environment, template: jinja2.Template, context: Mapping[str, Any]) -> Any:
    """Return the rendered template. It reads the context itself, not a copy, so that lazy values are computed only when used."""
    names = ChainMap(context, template.globals)  # type: ignore[arg-type]
    try:
        nodes = template.root_render_func(env.context_class(env, names, template.name, template.blocks))  # type: ignore[arg-type]
        if isinstance(env, jinja2.nativetypes.NativeEnvironment):
            return jinja2.nativetypes.native_concat(nodes)
        return "".join(nodes)
    except Exception:
        env.handle_exception()


def read_template_files(owner: TemplateOwner) -> None:
    """Replace each field that names a file with one of `template_ext` by the text of the file; a missing file stays a name."""
    endings = tuple(owner.template_ext)
    if not endings:
        return
    env = owner.get_template_env()
    for name in owner.template_fields:
        value = getattr(owner, name, None)
        if isinstance(value, str) and value.endswith(endings):
            setattr(owner, name, _read_source(env, value))
        elif isinstance(value, list):
            setattr(
                owner,
                name,
                [
                    _read_source(env, item) if isinstance(item, str) and item.endswith(endings) else item
                    for item in value
                ],
            )
    owner.prepare_template()


def _read_source(env: jinja2.Environment, name: str) -> str:
    try:
        return env.loader.get_source(env, name)[0] if env.loader is not None else name
    except jinja2.TemplateNotFound:
        return name
