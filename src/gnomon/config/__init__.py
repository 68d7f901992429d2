"""Options: a table of what exists, and the values that hold for this process with where each came from."""

from __future__ import annotations

from gnomon.config.ambient import ambient, set_ambient
from gnomon.config.calendars import CalendarTable, calendar_tables
from gnomon.config.config import Config, Setting
from gnomon.config.environment import environment, keep_only, variable
from gnomon.config.home import default_home, run_folder
from gnomon.config.load import load_config
from gnomon.config.masking import without_password
from gnomon.config.mistakes import ConfigMistake, NoSuchOption
from gnomon.config.option import Option
from gnomon.config.options import OPTIONS
from gnomon.config.secrets import without_secrets

__all__ = [
    "OPTIONS",
    "CalendarTable",
    "Config",
    "ConfigMistake",
    "NoSuchOption",
    "Option",
    "Setting",
    "ambient",
    "calendar_tables",
    "default_home",
    "environment",
    "keep_only",
    "load_config",
    "run_folder",
    "set_ambient",
    "variable",
    "without_password",
    "without_secrets",
]
