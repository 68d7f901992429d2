import { expect, test } from "vitest";
import { formatFigure, splitCode } from "./figures";

test("figures are read by people", () => {
  expect([formatFigure(50_331_648, "bytes"), formatFigure(61, "seconds"), formatFigure(1234, "count")]).toEqual([
    "48 MiB",
    "1 min 1 s",
    "1,234",
  ]);
});

test("what is in back quotes is code", () => {
  expect(splitCode("`gnomon worker` starts one.")).toEqual([
    { text: "gnomon worker", isCode: true },
    { text: " starts one.", isCode: false },
  ]);
});
