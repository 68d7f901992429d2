// @vitest-environment happy-dom

import { expect, test } from "vitest";
import { findReleaseRequest, type Release } from "../api/runs";
import { describeRelease } from "./releaseWords";

const ACTS = [
  "unpause_dag",
  "set_pool",
  "raise_limit",
  "mark_task",
  "clear_task",
  "clear_run",
  "release_run",
  "answer",
  "start_service",
] as const;
const release = (act: Release["act"]): Release => ({
  act,
  dag_id: "a",
  run_id: "r",
  task_id: "t",
  map_index: 3,
  upstream_dag_id: "up",
  pool: "p",
  slots: 2,
  option: "max_active_runs",
  service: "worker",
});

test("an act that the page can do has a button and says what it changes; another says who can do it", () => {
  for (const act of ACTS) {
    const words = describeRelease(release(act));
    if (findReleaseRequest(release(act)) !== undefined)
      expect([words.button !== "", words.effect !== ""], act).toEqual([true, true]);
    else if (act !== "answer") expect([words.button, words.effect !== ""], act).toEqual(["", true]);
  }
  expect(describeRelease(release("mark_task")).effect).toContain("t[3]");
});
