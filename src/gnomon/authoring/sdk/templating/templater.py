"""Templater: the base class of objects with template fields, such as operators, triggers and notifiers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from gnomon.authoring.sdk.templating.lazy_environment import LazyEnvironment

if TYPE_CHECKING:
    import jinja2

    from gnomon.authoring.sdk.nodes.node_types import DagNode


class Templater:
    """An object with template fields. A text in a field is a Jinja template, or the name of a file that ends with `template_ext`."""

    template_fields: ClassVar[Collection[str]] = ()
    template_ext: ClassVar[Sequence[str]] = ()

    def get_dag(self) -> DagNode | None:
        """Return the DAG for which templates are rendered, or None."""
        return None

    def get_template_env(self, dag: DagNode | None = None) -> jinja2.Environment:
        """Return the Jinja environment of the DAG, or a default environment without a DAG."""
        from gnomon.authoring.sdk.templating.rendering import (
            get_environment,  # Jinja is loaded when something is rendered
        )

        return get_environment(self, dag or self.get_dag())

    def prepare_template(self) -> None:
        """Called before the fields are rendered. Subclasses may change the values of their fields."""

    def resolve_template_files(self) -> None:
        """Replace each field that names a template file by the content of the file."""
        from gnomon.authoring.sdk.templating.rendering import (
            read_template_files,  # Jinja is loaded when something is rendered
        )

        read_template_files(self)

    def render_template_fields(self, context: Mapping[str, Any], jinja_env: jinja2.Environment | None = None) -> None:
        """Replace each template field by its value for the run of `context`."""
        env = jinja_env if jinja_env is not None else LazyEnvironment(self, context)
        self._do_render_template_fields(self, self.template_fields, context, env, set())

    def _do_render_template_fields(
        self,
        parent: Any,
        template_fields: Iterable[str],
        context: Mapping[str, Any],
        jinja_env: Any,
        seen_oids: set[int],
    ) -> None:
        from gnomon.authoring.sdk.templating.rendering import (
            render_fields,  # of the module, not of the package: that is faster
        )

        render_fields(self, parent, template_fields, context, jinja_env, seen_oids)

    def render_template(
        self,
        content: Any,
        context: Mapping[str, Any],
        jinja_env: jinja2.Environment | None = None,
        seen_oids: set[int] | None = None,
    ) -> Any:
        """Return the content with every template rendered, also in lists, dicts and nested objects."""
        from gnomon.authoring.sdk.templating.rendering import render_value  # Jinja is loaded when something is rendered

        env = jinja_env if jinja_env is not None else LazyEnvironment(self, context)
        return render_value(self, content, context, env, seen_oids if seen_oids is not None else set())

    def render_nested_template_fields(
        self, value: Any, context: Mapping[str, Any], jinja_env: Any, seen_oids: set[int]
    ) -> None:
        """Render the template fields of `value`, an object inside a template field."""
        self._do_render_template_fields(value, value.template_fields, context, jinja_env, seen_oids)
