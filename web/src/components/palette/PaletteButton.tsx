/** The button of the command palette, and its key: Ctrl-K, or Command-K on a Mac. */

import { useLayoutEffect, useState } from "react";
import { flushSync } from "react-dom";
import { t } from "../../state/language";
import { Button } from "../../ui/Button";
import { SearchIcon } from "../../ui/icons";
import { isModalOpen } from "../isModalOpen";
import { Palette } from "./Palette";

export function PaletteButton() {
  const [opened, setOpened] = useState({ count: 0, isOpen: false });
  const open = () => setOpened(({ count }) => ({ count: count + 1, isOpen: true }));
  // The event `close` of a dialog comes later than its end: it must not close the palette that has been opened since.
  const close = (count: number) => setOpened((now) => (now.count === count ? { count, isOpen: false } : now));
  useLayoutEffect(() => {
    // as soon as the button can be seen
    const press = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
        event.preventDefault();
        if (!isModalOpen()) flushSync(open);
      }
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
  return (
    <>
      <Button data-tour="find" look="quiet" icon={SearchIcon} aria-keyshortcuts="Control+K Meta+K" onClick={open}>
        {t("Find")} <kbd>Ctrl K</kbd>
      </Button>
      {opened.isOpen && <Palette key={opened.count} close={() => close(opened.count)} />}
    </>
  );
}
