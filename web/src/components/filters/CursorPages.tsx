/** The way to the next page of a list with cursors, and to the one before; and how many entries there are. */

import { t } from "../../state/language";
import { formatCount } from "../../state/numbers";
import { Button } from "../../ui/Button";
import { Time } from "../Time";

export interface CursorPage {
  total_entries?: number | null;
  total_entries_limit?: number | null;
  next_cursor?: string | null;
  previous_cursor?: string | null;
  /** A search without an index ended here, before the page was full; `next_cursor` goes on. */
  searched_until?: string | null;
}

/** How many entries there are. A list that is counted up to a limit has at least these thousands. */
export function countEntries(found: CursorPage): string {
  const total = found.total_entries ?? 0;
  if (!found.total_entries_limit) return formatCount(total);
  return t("{count} or more", { count: Math.floor(total / 1_000) * 1_000 });
}

export function CursorPages({
  found,
  isFirst,
  go,
}: {
  found: CursorPage;
  isFirst: boolean;
  go: (cursor: string | undefined) => void;
}) {
  return (
    <nav className="pages" aria-label={t("Pages of the list")}>
      <span className="soft" role="status">
        {found.searched_until ? (
          <>
            {t("Searched as far as the runs of")} <Time at={found.searched_until} />
          </>
        ) : (
          t("{count} in all", { count: countEntries(found) })
        )}
      </span>
      {!isFirst && <Button onClick={() => go(undefined)}>{t("First page")}</Button>}
      <Button disabled={!found.previous_cursor} onClick={() => go(found.previous_cursor ?? undefined)}>
        {t("Previous")}
      </Button>
      <Button disabled={!found.next_cursor} onClick={() => go(found.next_cursor ?? undefined)}>
        {found.searched_until ? t("Search further") : t("Next")}
      </Button>
    </nav>
  );
}
