/** The DAG files that cannot be loaded: file, line, what is wrong, and what to do. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { importErrorsQuery } from "../../api/queries";
import { Answer } from "../../components/Answer";
import { t, tn } from "../../state/language";
import { readProblem } from "./importProblem";

/** More files would hide what failed. */
const SHOWN = 5;

export function ImportErrors() {
  const [all, setAll] = useState(false);
  return (
    <Answer query={useQuery(importErrorsQuery())} what={t("the import errors")}>
      {(found) =>
        found.import_errors.length ? (
          <section className="notice" id="import-errors" aria-label={t("Import errors")}>
            <h2>
              {tn("{count} DAG file cannot be loaded", "{count} DAG files cannot be loaded", found.total_entries)}
            </h2>
            {found.import_errors.slice(0, all ? undefined : SHOWN).map((one) => {
              const problem = readProblem(one.stack_trace, one.filename);
              return (
                <details key={one.import_error_id}>
                  <summary>
                    <span className="name strong">{one.filename}</span>
                    {problem.line !== undefined && <> {t("line {line}", { line: problem.line })}</>}:{" "}
                    <span className="name">{problem.message}</span>
                  </summary>
                  <p>
                    {t(
                      "Correct the file: it is read again when it changes, and this line goes away. Runs of its DAGs keep the version that was read last.",
                    )}
                  </p>
                  <pre tabIndex={0} aria-label={t("Traceback")}>
                    {one.stack_trace}
                  </pre>
                </details>
              );
            })}
            {found.import_errors.length > SHOWN && !all && (
              <button type="button" onClick={() => setAll(true)}>
                {t("Show all {count}", { count: found.import_errors.length })}
              </button>
            )}
          </section>
        ) : null
      }
    </Answer>
  );
}
