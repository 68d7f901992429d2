// @vitest-environment happy-dom

import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import type { Condition, Release } from "../api/runs";
import { renderInPage } from "../testing/renderInPage";
import { ConditionTree } from "./ConditionTree";

afterEach(() => vi.unstubAllGlobals());

function condition(text: string, some: Partial<Condition> = {}): Condition {
  const spans: Condition["spans"] = [{ kind: "text", text }];
  return {
    kind: "running",
    met: false,
    text,
    spans,
    code: "text",
    arguments: { text },
    since: null,
    release: null,
    children: [],
    ...some,
  };
}

function release(act: Release["act"], some: Partial<Release> = {}): Release {
  return { act, dag_id: "sales", run_id: null, task_id: null, map_index: -1, ...some } as Release;
}

const show = (conditions: Condition[]) => renderInPage(() => <ConditionTree conditions={conditions} dagId="sales" />);

test("what is met is counted, and listed on demand", async () => {
  await show([condition("the pool has room", { met: true }), condition("the task before it has ended")]);
  expect(screen.getAllByRole("listitem").map((one) => one.textContent)).toEqual([
    expect.stringContaining("not met: the task before it has ended"),
  ]);
  fireEvent.click(screen.getByRole("button", { name: /1 condition is met/ }));
  expect(screen.getAllByRole("listitem").map((one) => one.textContent)).toContainEqual(
    expect.stringContaining("met: the pool has room"),
  );
});

test("the parts of a condition stand below it, those that are met on demand", async () => {
  const parts = [condition("load has ended", { met: true }), condition("copy has ended")];
  await show([condition("all tasks have ended", { children: parts })]);
  const whole = screen.getAllByRole("listitem")[0] as HTMLElement;
  expect(within(whole).getByText("copy has ended")).toBeTruthy();
  expect(within(whole).queryByText("load has ended")).toBeNull();
});

test("an act is done after its effect was read, and a refusal is shown", async () => {
  const send = vi.fn(
    async (_address: string, _options: RequestInit) => new Response('{"detail": "you may not"}', { status: 403 }),
  );
  vi.stubGlobal("fetch", send);
  await show([condition("the DAG is active", { kind: "dag_active", release: release("unpause_dag") })]);
  fireEvent.click(screen.getByRole("button", { name: /…$/ }));
  expect(send).not.toHaveBeenCalled();
  expect(screen.getByRole("group", { name: "What this does" }).textContent).toContain("Unpauses DAG sales");
  fireEvent.click(screen.getByRole("button", { name: "Do it" }));
  await waitFor(() => expect(screen.getByRole("alert").textContent).toContain("you may not"));
  expect(send.mock.calls.map(([address, { method, body }]) => [method, address, body])).toEqual([
    ["PATCH", "/api/v2/dags/sales", '{"is_paused":false}'],
  ]);
});

test("a question leads to the task that asks it", async () => {
  const asked = release("answer", { run_id: "r 1", task_id: "ask", map_index: 2 });
  await show([condition("a person has answered", { release: asked })]);
  expect(screen.getByRole("link").getAttribute("href")).toBe("/dags/sales/runs/r%201/tasks/ask?map=2#question");
});
