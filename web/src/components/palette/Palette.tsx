/** The command palette: type a part of the name of a DAG, a run, a task, a page or an act; Enter goes there or does it. */

import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from "react";
import { t } from "../../state/language";
import { SearchIcon } from "../../ui/icons";
import type { PaletteEntry } from "./findEntries";
import { groupByKind, sortByKind } from "./groups";
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
  /** The entries are those of a text, not of one before. */
  const [isRead, setRead] = useState(false);

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
              setEntries(sortByKind(found));
              setRead(true);
              setChosen(0);
              if (problem) setSaid(problem);
            },
            (fault: unknown) => {
              if (!stop.signal.aborted) {
                setEntries([]);
                setRead(true);
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
  useEffect(() => {
    // In braces: newer browsers return a promise, which is no function that ends the effect.
    document.getElementById(`palette-${chosen}`)?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
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
      <div className={styles.field}>
        <SearchIcon size={18} strokeWidth={1.75} aria-hidden="true" />
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
      </div>
      <div id="palette-list" role="listbox" aria-label={t("Found")} className={styles.list}>
        {groupByKind(entries).map(([kind, group]) => (
          <ul key={kind} role="group" aria-label={kind} data-label={kind}>
            {group.map(({ entry, at }) => (
              <Row
                key={entry.key}
                entry={entry}
                at={at}
                isChosen={at === chosen}
                take={() => take(entry)}
                choose={() => setChosen(at)}
              />
            ))}
          </ul>
        ))}
      </div>
      <div className={styles.foot}>
        <span role="status">{said || (typed && isRead && entries.length === 0 ? t("Nothing fits.") : "")}</span>
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> {t("choose")}
        </span>
        <span>
          <kbd>↵</kbd> {t("open")}
        </span>
        <span>
          <kbd>Esc</kbd> {t("close")}
        </span>
      </div>
    </dialog>
  );
}

interface RowProps {
  entry: PaletteEntry;
  at: number;
  isChosen: boolean;
  take: () => void;
  choose: () => void;
}

function Row({ entry, at, isChosen, take, choose }: RowProps) {
  const { icon: Sign } = entry;
  return (
    <li
      id={`palette-${at}`}
      role="option"
      aria-selected={isChosen}
      onClick={take}
      onPointerMove={() => {
        if (!isChosen) choose();
      }}
    >
      <Sign size={16} strokeWidth={1.75} aria-hidden="true" />
      <span className="unseen">{entry.kind}</span> <span className="name">{entry.label}</span>{" "}
      {entry.about && <span className={styles.about}>{entry.about}</span>}
    </li>
  );
}
