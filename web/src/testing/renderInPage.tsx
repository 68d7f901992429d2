/** Shows a component of the page for a test: with the queries and the router, whose address the test can read. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { act, cleanup, render } from "@testing-library/react";
import type { ReactNode } from "react";
import { type Me, meQuery } from "../api/administration";
import { AccountContext } from "../state/account";

/** The account of the tests: whoever may do everything is offered every act. */
const ADMIN: Me = { account: "admin", role: "admin", grants: [], has_accounts: true, has_password: true, may: [] };

/** Returns a function that reads the address that is shown. */
export async function renderInPage(component: () => ReactNode, address = "/"): Promise<() => string> {
  cleanup();
  const root = createRootRoute();
  const any = createRoute({ getParentRoute: () => root, path: "$", component });
  const router = createRouter({
    routeTree: root.addChildren([any]),
    history: createMemoryHistory({ initialEntries: [address] }),
  });
  const client = new QueryClient({ defaultOptions: { queries: { retry: false }, mutations: { retry: false } } });
  client.setQueryData(meQuery().queryKey, ADMIN);
  await act(async () => {
    await router.load();
    render(
      <QueryClientProvider client={client}>
        <AccountContext value={ADMIN}>
          <RouterProvider router={router} />
        </AccountContext>
      </QueryClientProvider>,
    );
  });
  return () => router.state.location.href;
}
