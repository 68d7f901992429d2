"""Marks and fixtures of tests of message queues."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

import pytest

mark_common_msg_queue_test = pytest.mark.skipif(
    find_spec("airflow.providers.common.messaging") is None, reason="needs common-messaging"
)


@pytest.fixture
def collect_queue_param_deprecation_warning() -> Iterator[None]:
    """The argument `queue` is old."""
    with pytest.warns(match="queue"):
        yield
