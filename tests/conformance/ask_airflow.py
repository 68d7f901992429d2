"""Run by an interpreter that has Airflow: cases on standard input, a line each; their answers on standard output."""

import json
import sys
from datetime import UTC, datetime, timedelta

import pendulum
import time_machine
from airflow.timetables import events, interval, simple, trigger
from airflow.timetables.base import TimeRestriction
from dateutil.relativedelta import relativedelta


def argument(value):
    if not isinstance(value, dict):
        return value
    if "seconds" in value:
        return timedelta(seconds=value["seconds"])
    if "relativedelta" in value:
        return relativedelta(**value["relativedelta"])
    return [pendulum.parse(text) for text in value["datetimes"]]


def timetable(spec):
    module = next(module for module in (interval, trigger, simple, events) if hasattr(module, spec["class"]))
    keywords = {name: argument(value) for name, value in spec["kwargs"].items()}
    return getattr(module, spec["class"])(*[argument(value) for value in spec["args"]], **keywords)


def instant(text):
    return None if text is None else pendulum.instance(datetime.fromisoformat(text))


def shown(moment):
    return moment.astimezone(UTC).isoformat()


def walk(made, bounds):
    restriction = TimeRestriction(instant(bounds["earliest"]), instant(bounds["latest"]), bounds["catchup"])
    answers, last = [], None
    for _ in range(6):
        info = made.next_dagrun_info(last_automated_data_interval=last, restriction=restriction)
        if info is None:
            return [*answers, None]
        last = info.data_interval
        answers.append({"run_after": shown(info.run_after), "start": shown(last.start), "end": shown(last.end)})
    return answers


def answer(case):
    made = timetable(case["timetable"])
    if case["op"] == "display":
        return {"summary": made.summary, "description": made.description}
    with time_machine.travel(datetime.fromisoformat(case["now"]), tick=False):
        if case["op"] == "walk":
            return walk(made, case["restriction"])
        found = made.infer_manual_data_interval(run_after=instant(case["run_after"]))
        return {"start": shown(found.start), "end": shown(found.end)}


for line in sys.stdin:
    case = json.loads(line)
    try:
        case["expect"] = answer(case)
    except Exception as error:
        case["error"] = f"{type(error).__name__}: {error}"
    print(json.dumps(case))
