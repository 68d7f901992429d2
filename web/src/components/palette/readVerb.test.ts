import { expect, test } from "vitest";
import { readVerb } from "./findEntries";

test("words that others use lead to the same acts", () => {
  expect(readVerb("trigger night")).toEqual({ verb: "run", rest: "night" });
  expect(readVerb("rerun sales")).toEqual({ verb: "clear", rest: "sales" });
  expect(readVerb("retry sales")).toEqual({ verb: "clear", rest: "sales" });
  expect(readVerb("resume sales")).toEqual({ verb: "unpause", rest: "sales" });
});

test("acts have Chinese words too", () => {
  expect(readVerb("暂停 night")).toEqual({ verb: "pause", rest: "night" });
  expect(readVerb("补数据 night")).toEqual({ verb: "backfill", rest: "night" });
});

test("alone, a word that a page or a name has too is no act", () => {
  expect(readVerb("backfill")).toEqual({ verb: undefined, rest: "backfill" });
  expect(readVerb("backfill night")).toEqual({ verb: "backfill", rest: "night" });
  expect(readVerb("pause")).toEqual({ verb: "pause", rest: "" });
});
