/** Slots with their local times, data intervals and changes of the clocks. */

import type { Slot } from "../../api/across";
import { Interval } from "../../components/Interval";
import { Time } from "../../components/Time";
import { t } from "../../state/language";
import styles from "./lab.module.css";

export function SlotTable({ slots }: { slots: Slot[] }) {
  if (slots.length === 0) return <p>{t("There is no slot.")}</p>;
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={t("Slots")}>
      <table>
        <thead>
          <tr>
            <th>{t("Local time")}</th>
            <th>{t("Time")}</th>
            <th>{t("Data interval")}</th>
            <th>{t("Clocks")}</th>
          </tr>
        </thead>
        <tbody>
          {slots.map((one) => (
            <tr key={one.run_id + one.run_after}>
              <td className={styles.local}>{one.local}</td>
              <td>
                <Time at={one.run_after} />
              </td>
              <td>
                <Interval start={one.data_interval_start} end={one.data_interval_end} />
              </td>
              <td>{one.clock_change ? t("changed by {change}", { change: one.clock_change }) : ""}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
