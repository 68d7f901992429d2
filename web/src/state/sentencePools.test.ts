import { expect, test } from "vitest";
import { splitPools } from "./sentencePools";

test("a full pool and one that is too small are found", () => {
  expect(splitPools("hold: pool small is full: 1 of 1 slots are used")).toEqual([
    { text: "hold: pool " },
    { text: "small", pool: "small" },
    { text: " is full: 1 of 1 slots are used" },
  ]);
  expect(splitPools("it needs 1 slot and pool closed has 0; it can never start").map((one) => one.pool)).toEqual([
    undefined,
    "closed",
    undefined,
  ]);
});

test("a pool that does not exist, and the word alone, lead nowhere", () => {
  for (const text of ["pool gone does not exist; make it with: gnomon pools set gone SLOTS", "the pool is full", ""])
    expect(splitPools(text).some((one) => one.pool)).toBe(false);
});
