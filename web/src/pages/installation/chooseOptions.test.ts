import { expect, test } from "vitest";
import type { Option } from "../../api/administration";
import { chooseOptions } from "./chooseOptions";

const option = (section: string, name: string, source: string, acts = true): Option => ({
  section,
  name,
  value: "v",
  default: "d",
  source,
  description: "What it does.",
  acts,
});
const OPTIONS = [
  option("core", "parallelism", "default"),
  option("core", "executor", "gnomon.toml line 3"),
  option("webserver", "workers", "GNOMON__WEBSERVER__WORKERS", false),
];
const names = (filters: Parameters<typeof chooseOptions>[1]) => chooseOptions(OPTIONS, filters).map((one) => one.name);

test("options are chosen by text, by section, and by whether they are set and act", () => {
  expect(names({})).toEqual(["parallelism", "executor", "workers"]);
  expect(names({ search: "[core] PAR" })).toEqual(["parallelism"]);
  expect(names({ section: "core", only: "set" })).toEqual(["executor"]);
  expect(names({ only: "idle" })).toEqual(["workers"]);
});
