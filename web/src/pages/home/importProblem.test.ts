import { expect, test } from "vitest";
import { readProblem } from "./importProblem";

const TRACE = `Traceback (most recent call last):
  File "/dags/etl.py", line 7, in <module>
    import helper
  File "/dags/helper.py", line 2, in <module>
    1 / 0
ZeroDivisionError: division by zero
`;

test("the line is that of the file, and the message is the last line", () => {
  expect(readProblem(TRACE, "/dags/etl.py")).toEqual({ line: 7, message: "ZeroDivisionError: division by zero" });
});

test("a message without a place has no line", () => {
  expect(readProblem("the DAG id is taken", "/dags/a.py")).toEqual({ line: undefined, message: "the DAG id is taken" });
});

test("a fault of a DAG is found outside its file, and names the line itself; the module of the error is left out", () => {
  const trace = `Traceback (most recent call last):
  File "/lib/gnomon/dag_checks.py", line 48, in check
    raise Invalid
gnomon.model.errors.Invalid: DAG 'typo' (/dags/a.py:2): the schedule is not valid`;
  expect(readProblem(trace, "/dags/a.py")).toEqual({
    line: 2,
    message: "Invalid: DAG 'typo' (/dags/a.py:2): the schedule is not valid",
  });
  expect(readProblem(trace.replace("/dags/a.py:2", "elsewhere"), "/dags/a.py").line).toBeUndefined();
});
