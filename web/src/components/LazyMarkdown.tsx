/** Markdown that is loaded when it is shown; until then, and if it cannot be or is too long to be laid out at once, its plain text. */

import { lazy, Suspense } from "react";
import { LongText } from "./LongText";
import styles from "./markdown.module.css";

const LAID_OUT_MAX = 4_000;

const Markdown = lazy(() =>
  import("./Markdown").then(
    (found) => ({ default: found.Markdown }),
    () => ({ default: PlainText }),
  ),
);

export function LazyMarkdown({ text }: { text: string }) {
  if (text.length > LAID_OUT_MAX) return <PlainText text={text} />;
  return (
    <Suspense fallback={<PlainText text={text} />}>
      <Markdown text={text} />
    </Suspense>
  );
}

function PlainText({ text }: { text: string }) {
  return (
    <div className={`${styles.text} ${styles.plain}`}>
      <LongText text={text} most={4_000} />
    </div>
  );
}
