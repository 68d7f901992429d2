// @vitest-environment happy-dom

import { expect, test } from "vitest";
import type { Me } from "../../api/administration";
import { endTour, isTourOffered } from "./tourState";

const NOW = Date.parse("2026-03-10T00:00:00Z");
const account = (created_at: string) => ({ created_at }) as Me;

test("the tour is offered to a new account, once in a browser", () => {
  expect(isTourOffered(undefined, NOW)).toBe(false);
  expect(isTourOffered(account("2026-01-01T00:00:00Z"), NOW)).toBe(false);
  expect(isTourOffered(account("2026-03-09T00:00:00Z"), NOW)).toBe(true);
  endTour();
  expect(isTourOffered(account("2026-03-09T00:00:00Z"), NOW)).toBe(false);
});
