/** The button of the command palette, and its key: Ctrl-K, or Command-K on a Mac. The palette itself is loaded when it is opened. */

import { lazy, Suspense, useEffect, useState } from "react";
import { t } from "../../state/language";

const Palette = lazy(() => import("./Palette").then((found) => ({ default: found.Palette })));

export function PaletteButton() {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
        event.preventDefault();
        setOpen(true);
      }
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
  return (
    <>
      <button type="button" aria-keyshortcuts="Control+K Meta+K" onClick={() => setOpen(true)}>{t("Find")} <kbd>Ctrl K</kbd></button>
      {open && <Suspense>{<Palette close={() => setOpen(false)} />}</Suspense>}
    </>
  );
}
