/** What a backfill would do with each slot of its range, and why. */

import { useOverscan } from "../../../state/printing";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import type { BackfillPreview } from "../../../api/shapes";
import { Sentence } from "../../../components/Sentences";
import { RunName } from "../../../components/Names";
import { StateBadge } from "../../../components/StateBadge";
import { Time } from "../../../components/Time";
import { t, tn } from "../../../state/language";
import { describePreview } from "./previewWords";
import styles from "./slots.module.css";

const ROW_PX = 58;
const EFFECTS: Record<string, string> = {
  create: /* text */ "create a run",
  leave: /* text */ "leave",
  "run again": /* text */ "run again",
};

export function SlotPreview({ found }: { found: BackfillPreview }) {
  const frame = useRef<HTMLDivElement>(null);
  const lines = useVirtualizer({
    count: found.slots.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PX,
    overscan: useOverscan(10),
  });
  const total = Object.values(found.counts).reduce((sum, count) => sum + count, 0);
  return (
    <section aria-label={t("Slots of the range")}>
      <h3>{tn("{count} slot in the range", "{count} slots in the range", total)}</h3>
      <p role="status">
        <b>{describePreview(found).join(t(", |list")) || t("The range has no slot.")}</b>
      </p>
      {found.notes.map((note) => (
        <p key={note} className="warn">
          <Sentence text={note} spans={found.spans[note]} />
        </p>
      ))}
      {found.has_more && (
        <p className="warn">
          {t("The timetable of the author has more slots than are shown; the scheduler finds them.")}
        </p>
      )}
      <div data-window="" className={styles.frame} ref={frame} tabIndex={0} role="list" aria-label={t("Slots")}>
        <div style={{ height: lines.getTotalSize(), position: "relative" }}>
          {lines.getVirtualItems().map((line) => {
            const slot = found.slots[line.index];
            if (!slot) return null;
            return (
              <div
                key={line.key}
                role="listitem"
                data-index={line.index}
                ref={lines.measureElement}
                className={styles.line}
                style={{ transform: `translateY(${line.start}px)` }}
              >
                <span className={`${styles.effect} ${styles[`effect-${slot.effect.replace(" ", "-")}`] ?? ""}`}>
                  {t(EFFECTS[slot.effect] ?? slot.effect)}
                </span>
                <Time at={slot.logical_date ?? slot.run_after} />{" "}
                {slot.data_interval_start !== slot.data_interval_end && (
                  <span className="soft">
                    {t("to")} <Time at={slot.data_interval_end} />
                  </span>
                )}{" "}
                {slot.state && <StateBadge state={slot.state} />}
                <span className="soft block">
                  <span className="name" title={slot.run_id}>
                    <RunName runId={slot.run_id} />
                  </span>
                  : {slot.reason}
                </span>
              </div>
            );
          })}
        </div>
      </div>
      {total > found.slots.length && (
        <p className="soft">{t("The first {shown} of {total} are shown.", { shown: found.slots.length, total })}</p>
      )}
      {found.days_off.length > 0 && (
        <details>
          <summary>
            {tn(
              "{count} day has no slot because of the calendar",
              "{count} days have no slot because of the calendar",
              found.days_off.length,
            )}
          </summary>
          <ul>
            {found.days_off.map((one) => (
              <li key={one.day}>
                {one.day}: {one.reason}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}
