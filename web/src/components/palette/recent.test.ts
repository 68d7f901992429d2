// @vitest-environment happy-dom

import { beforeEach, expect, test } from "vitest";
import { listRecent, remember } from "./recent";

beforeEach(() => localStorage.clear());

test("what was looked at last comes first, and once", () => {
  remember({ dagId: "a" });
  remember({ dagId: "b", runId: "r" });
  remember({ dagId: "a" });
  expect(listRecent()).toEqual([{ dagId: "a" }, { dagId: "b", runId: "r" }]);
});

test("eight places are kept", () => {
  for (let number = 0; number < 12; number += 1) remember({ dagId: `dag_${String(number)}` });
  expect(listRecent()).toHaveLength(8);
  expect(listRecent()[0]).toEqual({ dagId: "dag_11" });
});

test("what is stored and no place is left out", () => {
  remember({ dagId: "a" });
  const key = localStorage.key(0) ?? "";
  localStorage.setItem(key, '[{"dagId": 7}, {"dagId": "b"}, null]');
  expect(listRecent()).toEqual([{ dagId: "b" }]);
  localStorage.setItem(key, "{");
  expect(listRecent()).toEqual([]);
});
