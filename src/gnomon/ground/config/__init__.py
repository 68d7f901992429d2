"""Configuration: the table of options (`options.py`, open it first), and the values of one process with their sources (`Config`).

`loader.py` reads the environment and `gnomon.toml`, and refuses unknown options and wrong values. `accepted_options.py` has the options of
Airflow that do nothing here, with the reason of each; `alert_rules.py` and `alert_channels.py` read the tables of alerts.
"""

from __future__ import annotations

from gnomon.ground.config.calendars import CalendarTable, read_calendar_tables
from gnomon.ground.config.config import Config, Setting
from gnomon.ground.config.environment import environment, get_variable, replace_environment
from gnomon.ground.config.executors import read_executors
from gnomon.ground.config.home import default_home, run_folder
from gnomon.ground.config.loader import current_config, load_config, set_current_config
from gnomon.ground.config.masking import without_password
from gnomon.ground.config.option import ConfigOption, OptionError, UnknownOptionError
from gnomon.ground.config.options import OPTIONS
from gnomon.ground.config.secrets import without_secrets

__all__ = [
    "OPTIONS",
    "CalendarTable",
    "Config",
    "ConfigOption",
    "OptionError",
    "Setting",
    "UnknownOptionError",
    "current_config",
    "default_home",
    "environment",
    "get_variable",
    "load_config",
    "read_calendar_tables",
    "read_executors",
    "replace_environment",
    "run_folder",
    "set_current_config",
    "without_password",
    "without_secrets",
]
