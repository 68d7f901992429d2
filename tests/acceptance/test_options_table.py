"""Every option that Gnomon declares has an effect that a test sees, or says that it has none."""

from __future__ import annotations

import pytest
from tests.acceptance import (
    effects,
    test_options_of_accounts,
    test_options_of_alerts,
    test_options_of_bundles,
    test_options_of_celery,
    test_options_of_dags,
    test_options_of_files,
    test_options_of_kubernetes,
    test_options_of_monitors,
    test_options_of_remote_logs,
    test_options_of_schedulers,
    test_options_of_secrets,
    test_options_of_services,
    test_options_of_state_stores,
    test_options_of_tasks,
    test_options_of_triggerers,
    test_options_of_watching,
)

from gnomon.ground.config import OPTIONS, ConfigOption, load_config

MODULES = (
    test_options_of_accounts,
    test_options_of_alerts,
    test_options_of_bundles,
    test_options_of_celery,
    test_options_of_dags,
    test_options_of_files,
    test_options_of_kubernetes,
    test_options_of_monitors,
    test_options_of_schedulers,
    test_options_of_secrets,
    test_options_of_services,
    test_options_of_state_stores,
    test_options_of_remote_logs,
    test_options_of_tasks,
    test_options_of_triggerers,
    test_options_of_watching,
)
ANOTHER = {"boolean": "False", "integer": "7", "number": "7.5"}
IDS = [f"{option.section}.{option.name}" for option in OPTIONS]


def test_every_option_has_a_test_that_sees_its_effect_or_is_declared_to_have_none() -> None:
    declared = {f"{option.section}.{option.name}" for option in OPTIONS if option.is_used}
    assert declared - effects.SEEN_BY.keys() == set(), (
        "options without a test of their effect: add one with @effect_of(...) to tests/acceptance/test_options_of_*.py"
    )
    assert effects.SEEN_BY.keys() - declared == set(), (
        "effects of options that nobody declares, or that are declared to have none"
    )


def test_the_tests_named_are_tests() -> None:
    there = {name for module in MODULES for name in vars(module) if name.startswith("test_")}
    assert {name for names in effects.SEEN_BY.values() for name in names} <= there


@pytest.mark.parametrize("option", [option for option in OPTIONS if option.aliases], ids=lambda option: option.name)
@pytest.mark.parametrize("prefix", ["GNOMON", "AIRFLOW"])
def test_each_old_name_sets_its_option_from_environment_and_file(
    option: ConfigOption, prefix: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    for alias in option.aliases:
        home = tmp_path_factory.mktemp("home")
        value = _another(option)
        from_environment = load_config({f"{prefix}__{alias.variable}": value}, home)
        assert from_environment.text(*option.key) == value
        (home / "gnomon.toml").write_text(f"[{alias.section}]\n{alias.name} = {value!r}\n")
        assert load_config({}, home).text(*option.key) == value


def _another(option: ConfigOption) -> str:
    if option.choices:
        return option.choices[-1]
    if option.name == "sql_alchemy_conn":
        return "postgresql://me@here/gnomon"
    return ANOTHER.get(option.kind.value, "/somewhere")
