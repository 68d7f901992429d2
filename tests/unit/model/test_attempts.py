"""Log paths: readable, distinct, and always a legal file name."""

from __future__ import annotations

from gnomon.model.attempts import build_attempt_log_path


def test_a_path_says_which_attempt_it_is() -> None:
    assert build_attempt_log_path("etl", "manual__1", "load", -1, 2) == "dag_id=etl/run_id=manual__1/task_id=load.attempt=2.log"
    assert build_attempt_log_path("etl", "r", "load", 7, 1) == "dag_id=etl/run_id=r/task_id=load.map_index=7.attempt=1.log"


def test_ids_cannot_leave_their_folder() -> None:
    assert build_attempt_log_path("d", "../../etc", "t", -1, 1).split("/")[1] == "run_id=..%2F..%2Fetc"
    assert "\n" not in build_attempt_log_path("d", "a\nb", "t", -1, 1)


def test_ids_of_any_length_give_legal_distinct_names() -> None:
    for letter in ("t", "ü", "時", "/"):
        one, two = (build_attempt_log_path("d" * 250, "r", letter * 249 + end, 99_999, 999) for end in ("a", "b"))
        assert one != two
        assert all(len(part.encode()) <= 255 for part in one.split("/"))
