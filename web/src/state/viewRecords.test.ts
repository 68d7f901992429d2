import { expect, test } from "vitest";
import { groupRecords, planMove, type SavedView, toRecord } from "./viewRecords";

const view = (name: string, search: Record<string, unknown>, isDefault = false): SavedView => ({
  name,
  search,
  isDefault,
});

test("a view is the same after it was stored, also with lists, texts that look like numbers, and marks", () => {
  const search = { state: ["failed", "running"], search: "7", late: true, longer: 2.5, tag: ["a&b=c", "é \u202e ?#"] };
  const record = toRecord("/dags", view("v", search, true));
  expect(record.query.startsWith("?")).toBe(false);
  expect(groupRecords([record]).get("/dags")).toEqual([view("v", search, true)]);
  expect(toRecord("/dags", view("empty", {})).query).toBe("");
  expect(groupRecords([toRecord("/dags", view("empty", {}))]).get("/dags")).toEqual([view("empty", {})]);
});

test("views are grouped by page and sorted by name", () => {
  const found = groupRecords([
    toRecord("/runs", view("b", {})),
    toRecord("/dags", view("c", {})),
    toRecord("/runs", view("a", {})),
  ]);
  expect(found.get("/runs")?.map((one) => one.name)).toEqual(["a", "b"]);
  expect(found.get("/dags")?.map((one) => one.name)).toEqual(["c"]);
});

test("the account gets what it has not: the same view once, another one of the same name under a number", () => {
  const ofAccount = [view("a", { tag: ["x"] }), view("b", { tag: ["x"] }), view("b 2", { tag: ["z"] })];
  const moved = planMove("/dags", ofAccount, [view("a", { tag: ["x"] }), view("b", { tag: ["y"] }), view("c", {})]);
  expect(moved.map((one) => [one.name, one.query])).toEqual([
    ["b 3", toRecord("/dags", view("", { tag: ["y"] })).query],
    ["c", ""],
  ]);
  expect(
    planMove("/dags", [view("b", { tag: ["x"] }), view("b 2", { tag: ["y"] })], [view("b", { tag: ["y"] })]),
  ).toEqual([]);
});

test("a default stays one only if the account has none for the page", () => {
  const ofBrowser = [view("a", {}, true)];
  expect(planMove("/dags", [], ofBrowser)[0]?.is_default).toBe(true);
  expect(planMove("/dags", [view("b", {}, true)], ofBrowser)[0]?.is_default).toBe(false);
});
