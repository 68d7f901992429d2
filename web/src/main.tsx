import "./styles/tokens.css";
import "./styles/elements.css";
import "./styles/text.css";
import "./styles/lists.css";
import "./styles/forms.css";
import "./styles/states.css";
import "./styles/print.css";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiError } from "./api/client";
import { createPageRouter } from "./router";
import { chooseLanguage, loadLanguage } from "./state/language";
import { applyLook } from "./state/preferences";

/** An answer stays fresh until an event says otherwise; a refusal is not asked again. */
const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 60_000,
      refetchOnWindowFocus: false,
      retry: (count, error) => count < 2 && error instanceof ApiError && error.status >= 502,
    },
  },
});
const router = createPageRouter(client);
const root = document.getElementById("root");
applyLook();
if (root) {
  await loadLanguage(chooseLanguage());
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
}
