/** Filters that a narrow window shows on demand: a list must not begin below its filters. A wide window shows them always. */

import { type ReactNode, useState } from "react";
import { t } from "../../state/language";
import styles from "./filters.module.css";

/** `holds`: how many of them hold. */
export function MoreFilters({ holds, children }: { holds: number; children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className={styles.moreButton} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen
          ? t("Fewer filters")
          : holds > 0
            ? t("More filters ({count} set)", { count: holds })
            : t("More filters")}
      </button>
      <div className={isOpen ? `${styles.more} ${styles.open}` : styles.more}>{children}</div>
    </>
  );
}
