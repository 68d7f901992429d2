/** A text that may be long: its beginning with a button that shows all of it. Marks of direction in it do not reach what stands behind it. */

import { type ReactNode, useState } from "react";
import { t } from "../state/language";

const SHOWN = 300;
const LINES = 6;

/** What is shown of a text, and the button for the rest, which can stand behind a link that holds the text. */
export function useCut(text: string, most = SHOWN): { shown: string; button: ReactNode } {
  const [isWhole, setWhole] = useState(false);
  const short = cutText(text, most);
  if (short.length >= text.length) return { shown: text, button: null };
  const label = isWhole ? t("show less") : t("show all, {count} characters", { count: text.length });
  return {
    shown: isWhole ? text : short,
    button: (
      <>
        {" "}
        <button type="button" className="plain" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {label}
        </button>
      </>
    ),
  };
}

export function LongText({ text, most, className }: { text: string; most?: number; className?: string }) {
  const { shown, button } = useCut(text, most);
  return (
    <>
      <bdi className={className}>{shown}</bdi>
      {button}
    </>
  );
}

/** The beginning of a text, for places without room for a button: options of a list, titles. */
export function cutText(text: string, most = SHOWN): string {
  const line = text.split("\n", LINES).join("\n");
  return line.length > most ? `${line.slice(0, most)} …` : line;
}
