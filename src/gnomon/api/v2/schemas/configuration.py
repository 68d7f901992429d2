"""The shapes of configuration in the API: names and fields are those of Airflow's document."""

from __future__ import annotations

from gnomon.api.v2.schemas.base import Body


class ConfigOption(Body):
    """`ConfigOption` of Airflow's document."""

    key: str
    value: str | list[object]


class ConfigSection(Body):
    """`ConfigSection` of Airflow's document."""

    name: str
    options: list[ConfigOption]


class Config(Body):
    """`Config` of Airflow's document."""

    sections: list[ConfigSection]
