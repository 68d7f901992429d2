/** The route of the frame, which all pages have in common. */

import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext } from "@tanstack/react-router";
import { Layout } from "../components/Layout";
import { ViewError } from "../components/ViewError";
import { t } from "../state/language";

/** `client`: what the views read is kept there. */
export const root = createRootRouteWithContext<{ client: QueryClient }>()({
  component: Layout,
  notFoundComponent: NotFound,
  errorComponent: ViewError,
});

function NotFound() {
  return (
    <>
      <h1>{t("No page")}</h1>
      <p>{t("There is no page at this address. All pages are in the navigation.")}</p>
    </>
  );
}
