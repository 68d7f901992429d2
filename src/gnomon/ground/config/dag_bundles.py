"""The DAG bundles that `[dag_processor] dag_bundle_config_list` names, checked."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gnomon.ground.config.config import Config
from gnomon.ground.config.option import OptionError

DAGS_FOLDER_BUNDLE = "dags-folder"
"""Airflow's name for the DAG folder as a bundle."""
LOCAL_BUNDLE_CLASS = "airflow.dag_processing.bundles.local.LocalDagBundle"
GIT_BUNDLE_CLASS = "airflow.providers.git.bundles.git.GitDagBundle"
_OPTION = "[dag_processor] dag_bundle_config_list"
_EXAMPLE = f'[{{"name": "{DAGS_FOLDER_BUNDLE}", "classpath": "{LOCAL_BUNDLE_CLASS}", "kwargs": {{}}}}]'
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
_KEYS = frozenset({"name", "classpath", "kwargs", "team_name"})


@dataclass(frozen=True, slots=True)
class DagBundleConfig:
    """One DAG bundle of the configuration."""

    name: str
    classpath: str
    """The class of the bundle, with its module."""
    refresh_s: float
    """Seconds between two refreshes."""
    kwargs: dict[str, Any] = field(default_factory=dict)
    """The arguments of the class, without name, refresh_interval and version."""

    @property
    def local_folder(self) -> str | None:
        """The folder of a bundle that is a folder of this machine; None for another bundle, and for the DAG folder."""
        path = self.kwargs.get("path")
        return os.path.abspath(path) if self.is_local and path else None

    @property
    def is_local(self) -> bool:
        """Whether the bundle is a folder that needs no refresh."""
        return self.classpath == LOCAL_BUNDLE_CLASS


def read_dag_bundles(cfg: Config) -> tuple[DagBundleConfig, ...]:
    """The bundles in the order of the option; the DAG folder alone if it is empty. Raises OptionError."""
    text = cfg.text("dag_processor", "dag_bundle_config_list").strip()
    default_s = cfg.number("dag_processor", "refresh_interval")
    if not text:
        return (DagBundleConfig(DAGS_FOLDER_BUNDLE, LOCAL_BUNDLE_CLASS, default_s),)
    where = f"{_OPTION} ({cfg.source('dag_processor', 'dag_bundle_config_list')})"
    try:
        entries = json.loads(text)
    except ValueError as error:
        from gnomon.model.sentences import say  # loaded with the first refusal

        raise OptionError(say("bundles_are_no_json", place=where, error=str(error), example=_EXAMPLE)) from None
    if not isinstance(entries, list) or not entries:
        from gnomon.model.sentences import say

        raise OptionError(say("bundles_are_no_list", place=where, example=_EXAMPLE))
    bundles = [_read_bundle(entry, f"{where}, entry {number}", default_s) for number, entry in enumerate(entries, 1)]
    names = [bundle.name for bundle in bundles]
    for name in names:
        if names.count(name) > 1:
            from gnomon.model.sentences import say

            raise OptionError(say("bundle_name_is_twice", place=where, name=name))
    return tuple(bundles)


def find_dag_bundle(cfg: Config, name: str) -> DagBundleConfig:
    """The bundle of that name. Raises OptionError when this machine has none."""
    bundles = read_dag_bundles(cfg)
    for bundle in bundles:
        if bundle.name == name:
            return bundle
    from gnomon.model.sentences import say

    raise OptionError(
        say(
            "bundle_is_not_configured",
            option=str(_OPTION),
            name=name,
            names=", ".join(repr(bundle.name) for bundle in bundles),
        )
    )


def bundle_folder(cfg: Config, name: str) -> Path:
    """The folder for the local copies of a bundle."""
    return cfg.path("dag_processor", "dag_bundle_storage_path").absolute() / name


def _read_bundle(entry: object, where: str, default_s: float) -> DagBundleConfig:
    if not isinstance(entry, dict):
        from gnomon.model.sentences import say

        raise OptionError(say("bundle_is_no_object", place=where))
    name, classpath, kwargs = entry.get("name"), entry.get("classpath"), entry.get("kwargs", {})
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        from gnomon.model.sentences import say

        raise OptionError(say("bundle_name_is_wrong", place=where, name=repr(name)))
    where = f"{where} ({name!r})"
    if not isinstance(classpath, str) or "." not in classpath:
        from gnomon.model.sentences import say

        raise OptionError(
            say("bundle_class_is_wrong", place=where, class_path=repr(classpath), example=LOCAL_BUNDLE_CLASS)
        )
    if not isinstance(kwargs, dict):
        from gnomon.model.sentences import say

        raise OptionError(say("bundle_arguments_are_no_object", place=where))
    unknown = sorted(set(entry) - _KEYS)
    if unknown:
        from gnomon.model.sentences import say

        raise OptionError(say("bundle_key_is_unknown", place=where, key=unknown[0]))
    arguments = dict(kwargs)
    refresh_s = arguments.pop("refresh_interval", default_s)
    if isinstance(refresh_s, bool) or not isinstance(refresh_s, int | float) or refresh_s < 1:
        from gnomon.model.sentences import say

        raise OptionError(say("bundle_interval_is_wrong", place=where, thing=repr(refresh_s)))
    for reserved in ("name", "version"):
        if reserved in arguments:
            from gnomon.model.sentences import say

            raise OptionError(say("bundle_argument_is_reserved", place=where, name=reserved))
    if classpath == LOCAL_BUNDLE_CLASS:
        others = sorted(set(arguments) - {"path", "view_url_template"})
        if others:
            from gnomon.model.sentences import say

            raise OptionError(say("bundle_argument_is_unknown", place=where, name=others[0]))
        path = arguments.get("path")
        if path is not None and (not isinstance(path, str) or not path):
            from gnomon.model.sentences import say

            raise OptionError(say("bundle_path_is_wrong", place=where, thing=repr(path)))
    return DagBundleConfig(name, classpath, float(refresh_s), arguments)
