/** The row of the audit log about slots without a run, as a sentence. */

import { Time } from "../../components/Time";
import { t, tn } from "../../state/language";
import type { SkippedSlots } from "./eventBody";

export function SkippedSlotsText({ slots }: { slots: SkippedSlots }) {
  return (
    <span>
      {tn("{count} slot has no run", "{count} slots have no run", slots.count)}, {t("from")} <Time at={slots.first} />{" "}
      {t("to")} <Time at={slots.until} />: <bdi>{slots.reason}</bdi>
    </span>
  );
}
