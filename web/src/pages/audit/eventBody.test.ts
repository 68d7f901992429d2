import { expect, test } from "vitest";
import { compareFields, describeChange, readSkippedSlots } from "./eventBody";

test("a change has what it is about, before, after and from", () => {
  const found = describeChange(
    '{"pool": "small", "before": {"slots": 1}, "after": {"slots": 2}, "from": "192.0.2.7", "ended": 3}',
  );
  expect(found).toEqual({
    about: [["pool", "small"]],
    before: { slots: 1 },
    after: { slots: 2 },
    from: "192.0.2.7",
    text: '{"ended":3}',
  });
});

test("a body that is a sentence, or no object, stays a text", () => {
  expect(describeChange("the run was cleared")).toEqual({ about: [], text: "the run was cleared" });
  expect(describeChange("3")).toEqual({ about: [], text: "3" });
  expect(describeChange(null)).toEqual({ about: [], text: "" });
});

test("skipped slots are read from the body of their event alone", () => {
  const body = '{"first": 1793498400000000, "until": 1795658400000000, "count": 25, "reason": "catchup=False"}';
  expect(readSkippedSlots("slots_passed", body)).toEqual({
    first: "2026-11-01T02:00:00.000Z",
    until: "2026-11-26T02:00:00.000Z",
    count: 25,
    reason: "catchup=False",
  });
  expect(readSkippedSlots("run_ended", body)).toBeUndefined();
  expect(readSkippedSlots("slots_passed", "no JSON")).toBeUndefined();
  expect(readSkippedSlots("slots_passed", "{}")).toBeUndefined();
});

test("a changed field has both values, a new one the second, and equal ones are left out", () => {
  expect(compareFields({ slots: 1, open: true, old: "x" }, { slots: 2, open: true, description: "disks" })).toEqual([
    { name: "slots", before: "1", after: "2" },
    { name: "old", before: "x" },
    { name: "description", after: "disks" },
  ]);
  expect(compareFields(undefined, { password: "***" })).toEqual([{ name: "password", after: "***" }]);
  expect(compareFields("a", "b")).toEqual([{ name: "", before: "a", after: "b" }]);
  expect(compareFields(null, undefined)).toEqual([]);
});
