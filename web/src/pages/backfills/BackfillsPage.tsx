/** Backfills of all DAGs with their progress; pause, continue and cancel them. The filters are the address. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { type BackfillFilters, backfillsQuery } from "../../api/across";
import { PAGE_SIZE } from "../../api/queries";
import { Answer } from "../../components/Answer";
import { BACKFILL_STATES, BackfillItem } from "../../components/BackfillItem";
import { PageSteps } from "../../components/PageSteps";
import { TypedField } from "../../components/TypedField";
import { t, tn } from "../../state/language";
import styles from "../../components/backfill.module.css";

const route = getRouteApi("/backfills");

export function BackfillsPage() {
  const filters = route.useSearch();
  const navigate = useNavigate();
  const set = (some: BackfillFilters) =>
    void navigate({ to: "/backfills", search: { ...filters, page: undefined, ...some }, replace: true });
  return (
    <>
      <h1>{t("Backfills")}</h1>
      <form className="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <TypedField
          label={t("DAG")}
          value={filters.dag ?? ""}
          placeholder={t("the whole id")}
          onTyped={(dag) => set({ dag: dag || undefined })}
        />
        <label>
          {t("State")}{" "}
          <select
            value={filters.state ?? ""}
            onChange={(event) => set({ state: (event.target.value || undefined) as BackfillFilters["state"] })}
          >
            <option value="">{t("any state")}</option>
            {BACKFILL_STATES.map(([state, words]) => (
              <option key={state} value={state}>
                {t(words)}
              </option>
            ))}
          </select>
        </label>
      </form>
      <Answer query={useQuery(backfillsQuery(filters))} what={t("the backfills")}>
        {(found) => (
          <>
            <p className="soft" role="status">
              {tn("{count} backfill", "{count} backfills", found.total_entries)}
            </p>
            <ul className={styles.list}>
              {found.backfills.map((one) => (
                <BackfillItem key={one.backfill_id} backfill={one} />
              ))}
            </ul>
            {found.total_entries === 0 && (
              <p>
                {filters.dag || filters.state
                  ? t("No backfill fits these filters.")
                  : t("There is no backfill. One is created on the page of a DAG.")}
              </p>
            )}
            <PageSteps
              page={filters.page ?? 1}
              size={PAGE_SIZE}
              total={found.total_entries}
              go={(page) => set({ page })}
            />
          </>
        )}
      </Answer>
    </>
  );
}
