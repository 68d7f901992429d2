"""Objects with template fields: operators, notifiers, hooks. Rendering replaces each field by its value for one run."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from gnomon.sdk.templating.lazy_environment import LazyEnvironment

if TYPE_CHECKING:
    import jinja2

    from gnomon.sdk.dags.node_types import DagNode



class Templater:
    """Names its template fields; strings in them are Jinja templates, names of files with `template_ext` are read."""

    template_fields: ClassVar[Collection[str]] = ()
    template_ext: ClassVar[Sequence[str]] = ()

    def get_dag(self) -> DagNode | None:
        """The DAG that templates are rendered for, if any."""
        return None

    def get_template_env(self, dag: DagNode | None = None) -> jinja2.Environment:
        """The Jinja environment: the DAG's, or a plain one."""
        from gnomon.sdk.templating import rendering  # Jinja is loaded when something is rendered

        return rendering.get_environment(self, dag or self.get_dag())

    def prepare_template(self) -> None:
        """Runs before the fields are rendered; subclasses change what their fields hold."""

    def resolve_template_files(self) -> None:
        """Fields that name a template file hold its content."""
        from gnomon.sdk.templating import rendering

        rendering.read_template_files(self)

    def render_template_fields(self, context: Mapping[str, Any], jinja_env: jinja2.Environment | None = None) -> None:
        """Every template field holds its value for the run of `context`."""
        env = jinja_env if jinja_env is not None else LazyEnvironment(self, context)
        self._do_render_template_fields(self, self.template_fields, context, env, set())

    def _do_render_template_fields(
        self, parent: Any, template_fields: Iterable[str], context: Mapping[str, Any],
        jinja_env: Any, seen_oids: set[int],
    ) -> None:
        from gnomon.sdk.templating import rendering

        rendering.render_fields(self, parent, template_fields, context, jinja_env, seen_oids)

    def render_template(
        self, content: Any, context: Mapping[str, Any], jinja_env: jinja2.Environment | None = None,
        seen_oids: set[int] | None = None,
    ) -> Any:
        """The content with every template in it rendered, in lists, dicts and nested objects too."""
        from gnomon.sdk.templating import rendering

        env = jinja_env if jinja_env is not None else LazyEnvironment(self, context)
        return rendering.render_value(self, content, context, env, seen_oids if seen_oids is not None else set())

    def render_nested_template_fields(
        self, value: Any, context: Mapping[str, Any], jinja_env: Any, seen_oids: set[int]
    ) -> None:
        """The object's own template fields are rendered."""
        self._do_render_template_fields(value, value.template_fields, context, jinja_env, seen_oids)
