// @vitest-environment happy-dom

import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { type Readers, readerOf, text, texts } from "../../state/searchValues";
import { renderInPage } from "../../testing/renderInPage";
import { addValue, listChips, listNegatableChips } from "./chipSearch";
import { AddFilter } from "./FilterChips";
import { ListFrame, SortField, useFilters } from "./ListFrame";
import { Negatable } from "./Negatable";

type View = { dag?: string; state?: string[]; state_not?: string[]; sort?: string; cursor?: string };

const READERS: Readers<View> = { dag: text, state: texts, state_not: texts, sort: text, cursor: text };
const readView = readerOf(READERS);
const SORTS = [
  ["new", "new ones first"],
  ["old", "old ones first"],
] as const;

function List() {
  const search = readView(useSearch({ strict: false }) as Record<string, unknown>);
  const set = useFilters("/list", search);
  const query = useQuery({ queryKey: ["list", search], queryFn: async () => JSON.stringify(search) });
  return (
    <ListFrame
      title="List"
      path="/list"
      search={search}
      set={set}
      chips={[
        ...listNegatableChips(search, [{ field: "dag", label: "DAG" }]),
        ...listChips(search, [{ field: "state", label: "State" }], []),
      ]}
      fields={
        <>
          <Negatable label="DAG" value={search.dag} change={(dag) => set({ dag }, true)} />
          <AddFilter
            label="State"
            options={[{ value: "failed" }, { value: "success" }]}
            add={(value) => set(addValue(search, "state", value))}
          />
        </>
      }
      display={<SortField sorts={SORTS} sort={search.sort} set={set} />}
      query={query}
      what="the list"
      list={(found) => <p>{found}</p>}
    />
  );
}

const choose = (name: string, value: string) =>
  fireEvent.change(screen.getByRole("combobox", { name }), { target: { value } });

test("a filter is added by choosing a value, turned round, and taken away; the list begins at its first page", async () => {
  const address = await renderInPage(List, "/list?cursor=abc");
  choose("State", "failed");
  await waitFor(() => expect(address()).toBe("/list?state=%5B%22failed%22%5D"));
  fireEvent.click(screen.getByRole("button", { name: "Turn round: State is failed" }));
  await waitFor(() => expect(address()).toBe("/list?state_not=%5B%22failed%22%5D"));
  fireEvent.click(screen.getByRole("button", { name: "Take away: State is not failed" }));
  await waitFor(() => expect(address()).toBe("/list"));
  expect(screen.queryByRole("list", { name: "Filters that hold" })).toBeNull();
});

test("a text is a filter a moment after it is typed, and its box negates it", async () => {
  const address = await renderInPage(List, "/list");
  fireEvent.change(screen.getByRole("searchbox", { name: "DAG" }), { target: { value: "sales" } });
  await waitFor(() => expect(address()).toBe("/list?dag=sales"));
  fireEvent.click(screen.getByRole("checkbox", { name: "DAG: not this" }));
  await waitFor(() => expect(address()).toBe("/list?dag=%21sales"));
  await waitFor(() => expect(screen.getByText('{"dag":"!sales"}')).toBeTruthy());
});

test("an order is chosen, and all filters are cleared at once", async () => {
  const address = await renderInPage(List, "/list?dag=sales");
  choose("Sort by", "old");
  await waitFor(() => expect(address()).toBe("/list?dag=sales&sort=old"));
  fireEvent.click(screen.getByRole("button", { name: "Clear all filters" }));
  await waitFor(() => expect(address()).toBe("/list"));
});
