/** The pages of a list, where there is more than one. */

import { t } from "../state/language";

export function PageButtons({
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
  if (total <= size && page === 1) return null;
  const last = Math.max(1, Math.ceil(total / size));
  return (
    <nav className="acts" aria-label={t("Pages of the list")}>
      <button type="button" disabled={page <= 1} onClick={() => go(page > 2 ? page - 1 : undefined)}>
        {t("Before")}
      </button>
      <span>{t("page {page} of {last}", { page, last })}</span>
      <button type="button" disabled={page >= last} onClick={() => go(page + 1)}>
        {t("Next")}
      </button>
    </nav>
  );
}
