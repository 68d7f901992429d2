/** The keys of the page, in a dialog that `?` opens. */

import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { t } from "../state/language";
import { isModalOpen } from "./isModalOpen";
import { KEYS_OF_PAGES } from "./navigation";
import styles from "./shortcuts.module.css";

const KEYS: [string, string][] = [
  ["?", /* text */ "this list"],
  ["Ctrl K", /* text */ "find a DAG, run, task, page or act"],
  ["/", /* text */ "go to the search field of a list"],
  ["g h", /* text */ "go to the home page"],
  ["g d", /* text */ "go to the DAGs"],
  ["g r", /* text */ "go to the runs"],
  ["g t", /* text */ "go to the task instances"],
  ["↑ ↓ ← →", /* text */ "move in the grid of a DAG"],
  ["Enter", /* text */ "open the cell of the grid"],
  ["f", /* text */ "in the grid: only what failed"],
  ["n", /* text */ "in the grid: the next failed cell"],
  ["↑ ↓", /* text */ "in a run: choose the task before or after"],
  ["l y x d", /* text */ "in a run: its log, tries, XComs, details"],
  ["Enter", /* text */ "in a run: the page of the task"],
  ["n f", /* text */ "in a run: the next failed task, only what failed"],
  ["v", /* text */ "in a run: the Gantt chart in the whole window"],
  ["[ ]", /* text */ "in a run: the run before or after"],
  ["Esc", /* text */ "close a menu or a dialog"],
];
const PAGES: Record<string, string> = Object.fromEntries(
  Object.entries(KEYS_OF_PAGES).map(([path, keys]) => [keys.slice(-1), path]),
);
const CHORD_MS = 1_000;

export function Shortcuts({ go }: { go: (path: string) => void }) {
  const [open, setOpen] = useState(false);
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    // as soon as the page can be seen
    let prefixAt = 0;
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || isModalOpen()) return;
      const page = Date.now() - prefixAt < CHORD_MS ? PAGES[event.key] : undefined;
      prefixAt = event.key === "g" ? Date.now() : 0;
      if (page) {
        event.preventDefault();
        go(page);
      } else if (event.key === "?") {
        setOpen(true);
      } else if (event.key === "/") {
        const field = document.querySelector<HTMLInputElement>("main input[type=search]");
        if (field) {
          event.preventDefault();
          field.focus();
        }
      }
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [go]);
  useEffect(() => {
    if (open) dialog.current?.showModal();
  }, [open]);
  if (!open) return null;
  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-labelledby="shortcuts-title"
      onClose={() => setOpen(false)}
      onClick={(event) => {
        if (event.target === dialog.current) setOpen(false);
      }}
    >
      <h2 id="shortcuts-title">{t("Keys")}</h2>
      <dl>
        {KEYS.map(([key, what]) => (
          <div key={what}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{t(what)}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={() => setOpen(false)}>
        {t("Close")}
      </button>
    </dialog>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
