/** There is no DAG: where the first one goes, and a text for it. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { optionsQuery } from "../../api/administration";
import { useMay } from "../../state/account";
import { t } from "../../state/language";
import { Button } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { CheckIcon, CopyIcon, GraphIcon } from "../../ui/icons";
import styles from "./firstDag.module.css";

const FILE = "hello.py";
const TEXT = `from gnomon import DAG, task

with DAG("hello", schedule="0 7 * * *"):

    @task
    def greet():
        print("Good morning")

    greet()
`;

export function FirstDag() {
  const folder = useDagsFolder();
  const [isCopied, setCopied] = useState(false);
  return (
    <EmptyState
      icon={GraphIcon}
      title={t("There is no DAG yet.")}
      acts={
        <Button
          icon={isCopied ? CheckIcon : CopyIcon}
          onClick={() => void navigator.clipboard?.writeText(TEXT).then(() => setCopied(true))}
        >
          {isCopied ? t("Copied") : t("Copy the text")}
        </Button>
      }
    >
      <p>
        {folder
          ? t("A DAG is a Python file. Write this one to {file}: it is listed here a moment later.", {
              file: `${folder}/${FILE}`,
            })
          : t("A DAG is a Python file. Put one such as this into the DAG folder: it is listed here a moment later.")}
      </p>
      <pre className={styles.example} lang="en" tabIndex={0}>
        {TEXT}
      </pre>
      <p>{t("New DAGs are paused: turn the switch on, or press Run it. Ctrl K finds everything, ? lists the keys.")}</p>
    </EmptyState>
  );
}

/** Undefined: not known, or not for this account. */
function useDagsFolder(): string | undefined {
  const mayRead = useMay("read configuration");
  const { data } = useQuery({ ...optionsQuery(), enabled: mayRead });
  return data?.options.find((one) => one.section === "core" && one.name === "dags_folder")?.value;
}
