import { afterEach, expect, test, vi } from "vitest";
import { addressOf, ApiError, describeError, formatQuery, get, part, patch } from "./client";
import { toPattern } from "./queries";

test("a query leaves out what is not set and repeats lists", () => {
  expect(formatQuery({ a: 1, b: undefined, c: ["x", "y z"], d: "" })).toBe("?a=1&c=x&c=y+z");
  expect(formatQuery({})).toBe("");
});

test("an id is one part of a path", () => {
  expect(part("a/b ?#%")).toBe("a%2Fb%20%3F%23%25");
});

test("a search takes the characters of patterns as they are", () => {
  expect(toPattern("50%_a")).toBe("50%_a");
  expect(toPattern("")).toBeUndefined();
});

test("errors are sentences", () => {
  expect(describeError(404, '{"detail": "there is no DAG \'x\'"}')).toBe("there is no DAG 'x'");
  expect(describeError(422, '{"detail": [{"loc": ["body", "conf"], "msg": "no object"}]}')).toBe("conf: no object");
  expect(describeError(502, "<html>")).toBe("The server answered with status 502.");
});

afterEach(() => vi.unstubAllGlobals());

test("a request has the values of its path, its query and its body", async () => {
  const send = vi.fn(async (_address: string, _options: RequestInit) => new Response('{"dag_id": "a/b"}'));
  vi.stubGlobal("fetch", send);
  expect(await get("/api/v2/dags/{dag_id}/details", { path: { dag_id: "a/b" } })).toEqual({ dag_id: "a/b" });
  await patch("/api/v2/dags/{dag_id}", {
    path: { dag_id: "c" },
    query: { update_mask: "is_paused" },
    body: { is_paused: true },
  });
  expect(send.mock.calls.map(([address, { method, body }]) => [method, address, body])).toEqual([
    ["GET", "/api/v2/dags/a%2Fb/details", undefined],
    ["PATCH", "/api/v2/dags/c?update_mask=is_paused", '{"is_paused":true}'],
  ]);
});

test("the first page of a list with cursors is asked for by an empty one", () => {
  expect(formatQuery({ cursor: "", text: "" })).toBe("?cursor=");
  expect(addressOf("/api/gnomon/v1/dags/{dag_id}/dagRuns", { path: { dag_id: "~" }, query: { cursor: "" } })).toBe(
    "/api/gnomon/v1/dags/~/dagRuns?cursor=",
  );
});

test("a refusal is an error with its status and sentence; a request that was given up is none of the server's", async () => {
  vi.stubGlobal("fetch", async () => new Response('{"detail": "there is no DAG"}', { status: 404 }));
  await expect(get("/api/v2/version")).rejects.toEqual(new ApiError(404, "there is no DAG"));
  const given = new DOMException("given up", "AbortError");
  vi.stubGlobal("fetch", () => Promise.reject(given));
  await expect(get("/api/v2/version", { signal: AbortSignal.abort() })).rejects.toBe(given);
  await expect(get("/api/v2/version")).rejects.toBeInstanceOf(ApiError);
});
