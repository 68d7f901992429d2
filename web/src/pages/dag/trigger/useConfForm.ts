/** What is typed into the form of the params, as fields or as JSON. A switch between them loses nothing. */

import { useMemo, useState } from "react";
import { t } from "../../../state/language";
import { buildFields, type Draft, type Fault, parseConf, type ParamField, readDraft, startDraft } from "./paramForm";

export interface ConfReading {
  conf: Record<string, unknown>;
  faults: Record<string, Fault>;
  /** Why the JSON text is no conf. */
  problem?: string;
}

export interface ConfFormState {
  fields: ParamField[];
  draft: Draft;
  isRaw: boolean;
  text: string;
  type: (name: string, text: string) => void;
  typeRaw: (text: string) => void;
  /** Show the fields or the JSON text; stays where it is while the JSON text is wrong. */
  show: (raw: boolean) => void;
  reset: () => void;
  read: () => ConfReading;
}

export function useConfForm(params: Record<string, unknown>): ConfFormState {
  const fields = useMemo(() => buildFields(params), [params]);
  const [draft, setDraft] = useState<Draft>(() => startDraft(fields));
  const [isRaw, setRaw] = useState(fields.length === 0);
  const [text, setText] = useState(() => formatConf(readDraft(fields, startDraft(fields)).conf));
  const readRaw = (): ConfReading => {
    try {
      const conf = parseConf(text);
      return { conf, faults: {} };
    } catch (fault) {
      return {
        conf: {},
        faults: {},
        problem: t("The parameters are no JSON: {problem}", { problem: (fault as Error).message }),
      };
    }
  };
  return {
    fields,
    draft,
    isRaw,
    text,
    type: (name, typed) => setDraft((before) => ({ ...before, texts: { ...before.texts, [name]: typed } })),
    typeRaw: setText,
    show: (raw) => {
      if (raw === isRaw) return;
      if (raw) {
        setText(formatConf(readDraft(fields, draft).conf));
      } else {
        const found = readRaw();
        if (found.problem !== undefined) return;
        setDraft(startDraft(fields, found.conf));
      }
      setRaw(raw);
    },
    reset: () => {
      setDraft(startDraft(fields));
      setText(formatConf(readDraft(fields, startDraft(fields)).conf));
    },
    read: () => (isRaw ? readRaw() : readDraft(fields, draft)),
  };
}

function formatConf(conf: Record<string, unknown>): string {
  return JSON.stringify(conf, null, 2);
}
