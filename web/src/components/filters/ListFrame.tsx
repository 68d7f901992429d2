/** The frame of a list whose filters are its address: the filters, those that hold, the saved views, and the answer with its pages. */

import type { UseQueryResult } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { t } from "../../state/language";
import { useKeptSearch } from "../../state/lastSearch";
import { findDefault } from "../../state/savedViews";
import type { Search } from "../../state/searchValues";
import { Answer } from "../Answer";
import { removeChip, turnChip } from "./chipSearch";
import { type Chip, FilterChips } from "./FilterChips";
import { MoreFilters } from "./MoreFilters";
import { SavedViews } from "./SavedViews";

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

interface ListFrameProps<View extends Search, Found> {
  title: string;
  path: string;
  search: View;
  set: SetFilters<View>;
  chips: Chip[];
  /** How many entries fit the filters and how many there are, in words; undefined while they are not counted. */
  counted: string | undefined;
  fields: ReactNode;
  /** The filters that a narrow window folds, and the names of those that are seen only there. */
  more: ReactNode;
  moreFields: readonly (keyof View)[];
  /** What stands below the filters that hold. */
  below?: ReactNode;
  query: UseQueryResult<Found>;
  /** What could not be read, if it cannot. */
  what: string;
  children: (found: Found) => ReactNode;
}

export function ListFrame<View extends Search, Found>(props: ListFrameProps<View, Found>) {
  const { title, path, search, set, chips, counted, fields, more, moreFields, below, query, what, children } = props;
  const navigate = useNavigate();
  return (
    <>
      <h1>{title}</h1>
      <form className="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        {fields}
        <MoreFilters holds={moreFields.filter((field) => search[field] !== undefined).length}>{more}</MoreFilters>
      </form>
      <SavedViews path={path} search={search} />
      <FilterChips
        chips={chips}
        turn={(chip) => set(turnChip(search, chip))}
        remove={(chip) => set(removeChip(search, chip))}
        clear={() => void navigate({ to: path, search: findDefault(path) ? { view: "all" } : {} })}
        lead={counted ?? t("Filters:")}
      />
      {below}
      <Answer query={query} what={what}>
        {(found) => <div aria-busy={query.isPlaceholderData}>{children(found)}</div>}
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
    <label>
      {t("Sort by")}{" "}
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
