import { expect, test } from "vitest";
import type { LineQuery, LogLines } from "../../../api/logs";
import { LogStore } from "./logStore";

function serve(total: { count: number }, queries: LineQuery[]) {
  return (query: LineQuery): Promise<LogLines> => {
    queries.push(query);
    const first = (query.first ?? 0) < 0 ? Math.max(0, total.count + (query.first ?? 0)) : (query.first ?? 0);
    const numbers =
      query.at ??
      Array.from({ length: Math.max(0, Math.min(query.count ?? 0, total.count - first)) }, (_, at) => first + at);
    const lines = numbers.map((number) => ({
      number,
      text: `line ${number}`,
      at: null,
      level: null,
      size: 10,
      is_cut: false,
    }));
    return Promise.resolve({ lines, total: total.count, is_counted: true, is_over: false, files: [], groups: [] });
  };
}

test("a log that grows is asked for its new lines only", async () => {
  const total = { count: 1_000_000 };
  const queries: LineQuery[] = [];
  const store = new LogStore(serve(total, queries));
  await store.extend();
  total.count += 3;
  await store.extend();
  expect(queries).toEqual([
    { first: -200, count: 200 },
    { first: 1_000_000, count: 200 },
  ]);
  expect(store.get(1_000_002)?.text).toBe("line 1000002");
  expect(store.get(5)).toBeUndefined();
});

test("the end of a log that is not counted is there before the count, and has its numbers afterwards", async () => {
  const queries: LineQuery[] = [];
  let isCounted = false;
  const store = new LogStore((query) => {
    queries.push(query);
    const numbers = isCounted ? [998, 999] : [-2, -1];
    const lines = numbers.map((number) => ({
      number,
      text: `line ${number}`,
      at: null,
      level: null,
      size: 10,
      is_cut: false,
    }));
    return Promise.resolve({
      lines,
      total: isCounted ? 1_000 : 400,
      is_counted: isCounted,
      is_over: true,
      files: [],
      groups: [],
    });
  });
  await store.extend();
  store.want([-2, -1]);
  expect([store.total, store.tail, store.get(-2)?.text]).toEqual([400, 2, "line -2"]);
  isCounted = true;
  await store.extend();
  expect([store.total, store.tail, store.get(-2), store.get(999)?.text]).toEqual([1_000, 0, undefined, "line 999"]);
  expect(queries).toEqual([
    { first: -200, count: 200 },
    { first: -200, count: 200 },
  ]);
});

test("lines are asked for once, neighbours in one range, and a bounded number is kept", async () => {
  const queries: LineQuery[] = [];
  const store = new LogStore(serve({ count: 100_000 }, queries));
  await store.extend();
  store.want([500, 501, 502]);
  store.want([501]);
  await Promise.resolve();
  expect(queries.length).toBe(2);
  store.want([1, 1000, 90_000]);
  expect(queries[2]).toEqual({ at: [1, 1000, 90_000] });
  for (let from = 0; from < 60_000; from += 200) {
    store.want(Array.from({ length: 200 }, (_, at) => from + at));
    await new Promise((done) => setTimeout(done, 0));
  }
  expect(store.get(0)).toBeUndefined();
  expect(store.get(59_999)).toBeDefined();
});
