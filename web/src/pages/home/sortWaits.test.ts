import { expect, test } from "vitest";
import { sortWaits, type Wait } from "./sortWaits";

function wait(runId: string, ...verbs: string[]): Wait {
  const spans = verbs.map((verb) => ({
    kind: "command",
    text: `gnomon ${verb}`,
    command: { verb, names: [], options: [] },
  }));
  return {
    dag_id: "d",
    run_id: runId,
    state: "running",
    since: null,
    reasons: [],
    coded: [{ spans }],
  } as unknown as Wait;
}

test("what asks a person, what somebody must unblock, and what goes as planned stand apart", () => {
  const sorted = sortWaits([
    wait("timer"),
    wait("question", "tasks answer"),
    wait("pool", "pools set"),
    wait("both", "pools set", "tasks answer"),
  ]);
  expect(sorted.planned.map((one) => one.run_id)).toEqual(["timer"]);
  expect(sorted.asked.map((one) => one.run_id)).toEqual(["question", "both"]);
  expect(sorted.blocked.map((one) => one.run_id)).toEqual(["pool"]);
});
