/** After a change of the view: the title of the document is that of the view, and the focus is on its heading, where a screen reader goes on. */

import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";

const PRODUCT = "Gnomon";
const TITLE_MAX = 120;

export function useViewFocus(): void {
  const router = useRouter();
  useEffect(() => {
    let path = window.location.pathname;
    let heading: Element | null = null;
    const arrive = () => {
      const found = document.querySelector<HTMLElement>("main h1");
      document.title = composeTitle(
        found?.textContent,
        document.querySelector("main [data-tabs] .active")?.textContent,
      );
      if (found && window.location.pathname !== path && found !== heading && heading !== null) focusAfterFrame(found);
      path = window.location.pathname;
      heading = found ?? heading;
    };
    arrive();
    return router.subscribe("onRendered", arrive);
  }, [router]);
}

/** To focus lays the document out, which the frame does anyway: after it the focus costs nothing. A focus that went elsewhere meanwhile stays there. */
function focusAfterFrame(heading: HTMLElement): void {
  const before = document.activeElement;
  heading.tabIndex = -1;
  requestAnimationFrame(() =>
    setTimeout(() => {
      const isFree = document.activeElement === before || document.activeElement === document.body;
      if (heading.isConnected && isFree) heading.focus({ preventScroll: true });
    }),
  );
}

/** `Grid · nightly · Gnomon`. */
function composeTitle(heading: string | null | undefined, tab: string | null | undefined): string {
  const parts = [tab, heading, PRODUCT].filter((one): one is string => Boolean(one));
  return parts.map((one) => (one.length > TITLE_MAX ? `${one.slice(0, TITLE_MAX)}…` : one)).join(" · ");
}
