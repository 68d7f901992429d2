/** The acts on a run, as a menu lists them. */

import type { ActChoice } from "../../components/ActDialog";

export const FAILED_AGAIN: ActChoice = {
  act: "clear",
  label: /* text */ "Clear what failed (run again)",
  scope: { onlyFailed: true },
};
const STOP: ActChoice = {
  act: "failed",
  label: /* text */ "Stop (mark as failed)",
  scope: {},
  confirm: /* text */ "Stop the run",
};
const CHOICES: readonly ActChoice[] = [
  FAILED_AGAIN,
  { act: "clear", label: /* text */ "Clear all (run all again)", scope: {} },
  { act: "success", label: /* text */ "Mark as success", scope: {} },
  { act: "failed", label: /* text */ "Mark as failed", scope: {} },
  { act: "delete", label: /* text */ "Delete", scope: {} },
];
/** Of a run that has not ended: the act that stops it comes first, under this name. */
const CHOICES_WHILE_OPEN: readonly ActChoice[] = [STOP, ...CHOICES.filter((one) => one.act !== "failed")];

export function listRunChoices(state: string | null): readonly ActChoice[] {
  return state === "running" || state === "queued" ? CHOICES_WHILE_OPEN : CHOICES;
}
