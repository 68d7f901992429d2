/** Filters that a narrow window shows on demand: a list must not begin below its filters. A wide window shows them always. */

import { type ReactNode, useState } from "react";
import { t } from "../../state/language";

/** `holds`: how many of them hold. */
export function MoreFilters({ holds, children }: { holds: number; children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="more-filters-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen
          ? t("Fewer filters")
          : holds > 0
            ? t("More filters ({count} set)", { count: holds })
            : t("More filters")}
      </button>
      <div className={isOpen ? "more-filters open" : "more-filters"}>{children}</div>
    </>
  );
}
