"""Classes of an author, as both Airflow and Gnomon store them."""

import dataclasses
import datetime as dt

import attr
import pydantic


@dataclasses.dataclass
class Order:
    number: int
    rows: list


@attr.define
class Line:
    text: str
    amount: float


class Offer(pydantic.BaseModel):
    number: int
    valid_until: dt.datetime
    notes: list[str] = []


class Versioned:
    __version__ = 2

    def __init__(self, text):
        self.text = text

    def serialize(self):
        return {"text": self.text}

    @staticmethod
    def deserialize(data, version):
        return Versioned(f"{data['text']}")

    def __repr__(self):
        return f"Versioned({self.text!r})"
