"""The shapes of configuration in the API: names and fields are those of Airflow's document."""

from __future__ import annotations

from gnomon.api.common.shapes import Body


class ConfigOptionResponse(Body):
    """`ConfigOption` of Airflow's document."""

    key: str
    value: str | list[object]


class ConfigSectionResponse(Body):
    """`ConfigSection` of Airflow's document."""

    name: str
    options: list[ConfigOptionResponse]


class ConfigResponse(Body):
    """`Config` of Airflow's document."""

    sections: list[ConfigSectionResponse]
