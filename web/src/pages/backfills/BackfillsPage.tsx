/** Backfills of all DAGs with their progress; pause, continue and cancel them. The filters are the address. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { type BackfillFilters, backfillsQuery } from "../../api/across";
import { PAGE_SIZE } from "../../api/queries";
import { Answer } from "../../components/Answer";
import { BACKFILL_STATES, BackfillItem } from "../../components/BackfillItem";
import { PageSteps } from "../../components/PageSteps";
import { ListHead } from "../../components/filters/ListFrame";
import { t } from "../../state/language";
import { formatCount } from "../../state/numbers";
import { EmptyState } from "../../ui/EmptyState";
import { HistoryIcon } from "../../ui/icons";
import { Facet } from "../../ui/Pill";
import { SearchBox } from "../../ui/SearchBox";
import styles from "../../components/backfill.module.css";

const route = getRouteApi("/backfills");

export function BackfillsPage() {
  const filters = route.useSearch();
  const navigate = useNavigate();
  const set = (some: BackfillFilters) =>
    void navigate({ to: "/backfills", search: { ...filters, page: undefined, ...some }, replace: true });
  const backfills = useQuery(backfillsQuery(filters));
  return (
    <>
      <ListHead title={t("Backfills")} count={backfills.data && formatCount(backfills.data.total_entries)}>
        <SearchBox
          label={t("DAG")}
          value={filters.dag}
          placeholder={t("the whole id of a DAG")}
          onChange={(dag) => set({ dag })}
        />
        {BACKFILL_STATES.map(([state, words]) => (
          <Facet
            key={state}
            label={t(words)}
            isChosen={filters.state === state}
            toggle={() => set({ state: filters.state === state ? undefined : state })}
          />
        ))}
      </ListHead>
      <Answer query={backfills} what={t("the backfills")}>
        {(found) => (
          <>
            <ul className={styles.list}>
              {found.backfills.map((one) => (
                <BackfillItem key={one.backfill_id} backfill={one} />
              ))}
            </ul>
            {found.total_entries === 0 && (
              <EmptyState
                icon={HistoryIcon}
                title={
                  filters.dag || filters.state
                    ? t("No backfill fits these filters.")
                    : t("There is no backfill. One is created on the page of a DAG.")
                }
              />
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
