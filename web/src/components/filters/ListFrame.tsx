/** The frame of a list: its name and how many entries it has, one line of controls, the filters that hold, and the answer with its pages. */

import type { UseQueryResult } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { t } from "../../state/language";
import { useKeptSearch } from "../../state/lastSearch";
import { findDefault } from "../../state/savedViews";
import type { Search } from "../../state/searchValues";
import { FilterIcon } from "../../ui/icons";
import { PageHeader, Toolbar } from "../../ui/PageHeader";
import { Popover } from "../../ui/Popover";
import { Answer } from "../Answer";
import { removeChip, turnChip } from "./chipSearch";
import { type Chip, FilterChips } from "./FilterChips";
import { SavedViews } from "./SavedViews";
import styles from "./filters.module.css";

export type SetFilters<View> = (some: Partial<View>, replace?: boolean) => void;

/** The function that changes the filters of the list at a path; the list then begins at its first page. */
export function useFilters<View extends Search>(path: string, search: View): SetFilters<View> {
  const navigate = useNavigate();
  useKeptSearch(path, search);
  return (some, replace = false) =>
    void navigate({
      to: path,
      search: { ...search, view: undefined, page: undefined, cursor: undefined, ...some },
      replace,
    });
}

interface ListHeadProps {
  title: string;
  /** How many entries there are, beside the title. */
  count?: ReactNode;
  /** One line: what the list is about. */
  about?: ReactNode;
  /** At most two acts, such as the one that adds an entry. */
  acts?: ReactNode;
  /** The controls of the list: the search first. None: there is nothing to choose. */
  children?: ReactNode;
}

/** The header of a list, and its line of controls. */
export function ListHead({ title, count, about, acts, children }: ListHeadProps) {
  return (
    <>
      <PageHeader
        title={title}
        state={
          <span className={`soft ${styles.count}`} role="status">
            {count}
          </span>
        }
        facts={about && <span>{about}</span>}
        acts={acts}
      />
      {children && (
        <form role="search" onSubmit={(event) => event.preventDefault()}>
          <Toolbar label={t("What is shown")}>{children}</Toolbar>
        </form>
      )}
    </>
  );
}

/** The filters that are set rarely: in a box, of which the chips show what holds. */
export function FilterBox({ children }: { children: ReactNode }) {
  return (
    <Popover label={t("Filters")} icon={FilterIcon} isBare>
      <div className={styles.box}>{children}</div>
    </Popover>
  );
}

interface ListFrameProps<View extends Search, Found> extends ListHeadProps {
  path: string;
  search: View;
  set: SetFilters<View>;
  chips: Chip[];
  /** The rare filters. */
  filters?: ReactNode;
  /** The order, and what else is chosen about how the list is shown. */
  display?: ReactNode;
  /** What stands below the filters that hold. */
  below?: ReactNode;
  query: UseQueryResult<Found>;
  /** What could not be read, if it cannot. */
  what: string;
  /** The search and the facets. */
  fields: ReactNode;
  facets?: ReactNode;
  list: (found: Found) => ReactNode;
}

export function ListFrame<View extends Search, Found>(props: ListFrameProps<View, Found>) {
  const { path, search, set, chips, filters, display, below, query, what, fields, facets, list, ...head } = props;
  const navigate = useNavigate();
  return (
    <>
      <ListHead {...head}>
        {fields}
        {filters && <FilterBox>{filters}</FilterBox>}
        {facets && <span className={styles.facets}>{facets}</span>}
        <span className={styles.display}>
          {display}
          <SavedViews path={path} search={search} />
        </span>
      </ListHead>
      <FilterChips
        chips={chips}
        turn={(chip) => set(turnChip(search, chip))}
        remove={(chip) => set(removeChip(search, chip))}
        clear={() => void navigate({ to: path, search: findDefault(path) ? { view: "all" } : {} })}
      />
      {below}
      <Answer query={query} what={what}>
        {(found) => <div aria-busy={query.isPlaceholderData}>{list(found)}</div>}
      </Answer>
    </>
  );
}

interface SortFieldProps {
  /** The orders with their names; the first one is that of an address without an order. */
  sorts: readonly (readonly [string, string])[];
  sort: string | undefined;
  set: (some: { sort: string | undefined }) => void;
}

export function SortField({ sorts, sort, set }: SortFieldProps) {
  const usual = sorts[0]?.[0];
  return (
    <label className={styles.sort}>
      <span>{t("Sort by")}</span>
      <select
        value={sort ?? usual}
        onChange={(event) => set({ sort: event.target.value === usual ? undefined : event.target.value })}
      >
        {sorts.map(([value, label]) => (
          <option key={value} value={value}>
            {t(label)}
          </option>
        ))}
      </select>
    </label>
  );
}
