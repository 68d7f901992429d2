import { expect, test } from "vitest";
import { buildScenario, type Change, putChange, readChanges, writeChange, writeToml } from "./scenarioChanges";

const TEXTS = [
  "set orders.load=+50%",
  "pool etl=4",
  "schedule orders=0 3 * * 1-5",
  "freeze old_report",
  "fail orders.check",
  "parallelism 16",
  "expect report ends before 07:00",
  "delay source=arrival=1h",
];

test("a change is in the address as it is read from it", () => {
  const changes = readChanges(TEXTS);
  expect(changes.map(writeChange)).toEqual(TEXTS);
  expect(changes[2]).toEqual({ key: "schedule", name: "orders", value: "0 3 * * 1-5" });
  expect(changes[7]).toEqual({ key: "delay", name: "source=arrival", value: "1h" });
});

test("what is no change is left out of an address", () => {
  expect(readChanges(["set", "set =1h", "colour red", "freeze ", "", "pool etl"])).toEqual([]);
});

test("the scenario has the form of a file", () => {
  expect(buildScenario(readChanges([...TEXTS.slice(0, 7), "pool wide=-1", "freeze other"]), "2d")).toEqual({
    for: "2d",
    set: { "orders.load": "+50%" },
    pool: { etl: 4, wide: -1 },
    schedule: { orders: "0 3 * * 1-5" },
    freeze: ["old_report", "other"],
    fail: ["orders.check"],
    parallelism: 16,
    expect: ["report ends before 07:00"],
  });
});

test("a number that is none is sent as it is, so that the server refuses it by its place", () => {
  expect(buildScenario(readChanges(["pool etl=many"]), "1d")).toEqual({ for: "1d", pool: { etl: "many" } });
});

test("in TOML values come before tables, and names are quoted", () => {
  const toml = writeToml(buildScenario(readChanges(["set a.b=1h", "freeze c", "parallelism 2"]), "1d"));
  expect(toml).toBe('for = "1d"\nfreeze = ["c"]\nparallelism = 2\n\n[set]\n"a.b" = "1h"\n');
});

test("a change of the same thing takes the place of the former one", () => {
  const change = (name: string, value: string): Change => ({ key: "set", name, value });
  const changes = [change("a", "1h"), change("b", "1h")];
  expect(putChange(changes, change("a", "2h")).map(({ value }) => value)).toEqual(["2h", "1h"]);
  expect(putChange(changes, change("c", "2h"))).toHaveLength(3);
});
