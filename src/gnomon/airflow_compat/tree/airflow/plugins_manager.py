"""`airflow.plugins_manager`: the class that plugins derive from. Gnomon finds timetables in the plugins folder by path."""

from gnomon.airflow_compat.missing_names import make_getattr

__all__ = ["AirflowPlugin"]


class AirflowPlugin:
    """A plugin: what it brings stands in its class attributes."""

    name = None
    source = None
    macros = []
    admin_views = []
    flask_blueprints = []
    fastapi_apps = []
    fastapi_root_middlewares = []
    external_views = []
    react_apps = []
    menu_links = []
    appbuilder_views = []
    appbuilder_menu_items = []
    global_operator_extra_links = []
    operator_extra_links = []
    timetables = []
    partition_mappers = []
    windows = []
    deadline_references = []
    listeners = []
    hook_lineage_readers = []
    priority_weight_strategies = []

    @classmethod
    def validate(cls):
        """AssertionError for a plugin without a name."""
        if not cls.name:
            raise AssertionError(f"Plugin {cls.__name__} needs a name.")

    @classmethod
    def on_load(cls, *args, **kwargs):
        """Runs when the plugin is loaded."""


__getattr__ = make_getattr(__name__)
