import { expect, test } from "vitest";
import type { Question } from "../../api/administration";
import { sortQuestions } from "./sortQuestions";

const asked = (...names: string[]) => ({ assigned_users: names.map((name) => ({ id: name, name })) }) as Question;

test("questions are sorted into those for me, for everybody and for others, in their order", () => {
  const [a, b, c, d] = [asked(), asked("ann"), asked("bob"), asked("bob", "ann")];
  expect(sortQuestions([a, b, c, d], "ann")).toEqual({ mine: [b, d], open: [a], others: [c] });
});
