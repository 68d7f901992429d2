/** The command palette: type a part of the name of a DAG, a run, a task, a page or an act; Enter goes there or does it. */

import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from "react";
import { t } from "../../state/language";
import type { PaletteEntry } from "./findEntries";
import styles from "./palette.module.css";

const TYPED_MS = 80;

export function Palette({ close }: { close: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { dagId } = useParams({ strict: false });
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState("");
  const [entries, setEntries] = useState<PaletteEntry[]>([]);
  const [chosen, setChosen] = useState(0);
  const [said, setSaid] = useState("");

  const input = useRef<HTMLInputElement>(null);

  useLayoutEffect(() => {
    // The keys that are typed right after Ctrl-K are for this field.
    dialog.current?.showModal();
    input.current?.focus();
  }, []);
  useEffect(() => {
    const stop = new AbortController();
    const timer = window.setTimeout(
      () => {
        void import("./findEntries")
          .then(({ findEntries }) => findEntries(client, typed, dagId, stop.signal))
          .then(
            ({ entries: found, problem }) => {
              setEntries(found);
              setChosen(0);
              if (problem) setSaid(problem);
            },
            (fault: unknown) => {
              if (!stop.signal.aborted) {
                setEntries([]);
                setSaid((fault as Error).message);
              }
            },
          );
      },
      typed ? TYPED_MS : 0,
    );
    return () => {
      stop.abort();
      window.clearTimeout(timer);
    };
  }, [client, typed, dagId]);

  const take = (entry: PaletteEntry | undefined) => {
    if (!entry) return;
    if (entry.to) {
      close();
      void navigate(entry.to as Parameters<typeof navigate>[0]);
    } else {
      entry.act?.().then(setSaid, (fault: unknown) => setSaid((fault as Error).message));
    }
  };
  const press = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };
    const step = steps[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setChosen(Math.max(0, Math.min(entries.length - 1, chosen + step)));
    } else if (event.key === "Enter") {
      event.preventDefault();
      take(entries[chosen]);
    }
  };
  useEffect(() => document.getElementById(`palette-${chosen}`)?.scrollIntoView({ block: "nearest" }), [chosen]);
  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-label={t("Command palette")}
      onClose={close}
      onClick={(event) => {
        if (event.target === dialog.current) close();
      }}
    >
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={entries[chosen] ? `palette-${chosen}` : undefined}
        aria-label={t("Find a DAG, run, task, page or act")}
        placeholder={t("DAG, run, task, page, or: pause, unpause, run, clear and a DAG")}
        value={typed}
        spellCheck={false}
        onChange={(event) => {
          setTyped(event.target.value);
          setSaid("");
        }}
        onKeyDown={press}
      />
      <ul id="palette-list" role="listbox" aria-label={t("Found")}>
        {entries.map((entry, at) => (
          <li
            key={entry.key}
            id={`palette-${at}`}
            role="option"
            aria-selected={at === chosen}
            onClick={() => take(entry)}
            onPointerMove={() => {
              if (chosen !== at) setChosen(at);
            }}
          >
            <span className="soft">{entry.kind}</span> <span className="name">{entry.label}</span>
          </li>
        ))}
      </ul>
      <p role="status" className="soft">
        {said || (typed && entries.length === 0 ? t("Nothing fits.") : t("Arrows choose, Enter opens, Escape closes."))}
      </p>
    </dialog>
  );
}
