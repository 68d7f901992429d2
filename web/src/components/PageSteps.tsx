/** Buttons to the page before and after, where a list has more than one. */

import { t } from "../state/language";
import { Button } from "../ui/Button";

export function PageSteps({
  page,
  size,
  total,
  go,
}: {
  page: number;
  size: number;
  total: number;
  go: (page: number | undefined) => void;
}) {
  const last = Math.max(1, Math.ceil(total / size));
  if (last === 1 && page === 1) return null;
  return (
    <nav className="pages" aria-label={t("Pages of the list")}>
      <span className="soft">{t("page {page} of {last}", { page, last })}</span>
      <Button disabled={page <= 1} onClick={() => go(page > 2 ? page - 1 : undefined)}>
        {t("Previous")}
      </Button>
      <Button disabled={page >= last} onClick={() => go(page + 1)}>
        {t("Next")}
      </Button>
    </nav>
  );
}
