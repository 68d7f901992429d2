/** The XComs of a task instance: each is read when it is opened, and shown as a tree. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { InstancePlace } from "../../api/places";
import { xcomQuery, xcomsQuery } from "../../api/runs";
import { Answer } from "../../components/Answer";
import { JsonTree } from "../../components/JsonTree";
import { Time } from "../../components/Time";
import { t, tn } from "../../state/language";
import styles from "./instance.module.css";

const OPENED_MAX = 3;

export function XComs({ at }: { at: InstancePlace }) {
  return (
    <Answer query={useQuery(xcomsQuery(at))} what={t("the XComs")}>
      {(found) =>
        found.xcom_entries.length === 0 ? (
          <p className="soft">{t("The task has pushed no XComs.")}</p>
        ) : (
          <>
            <p className="soft">
              {tn("{count} XCom", "{count} XComs", found.total_entries ?? found.xcom_entries.length)}
            </p>
            {found.xcom_entries.map((one, number) => (
              <XComItem key={one.key} at={at} name={one.key} pushedAt={one.timestamp} isFirst={number < OPENED_MAX} />
            ))}
          </>
        )
      }
    </Answer>
  );
}

function XComItem({
  at,
  name,
  pushedAt,
  isFirst,
}: {
  at: InstancePlace;
  name: string;
  pushedAt: string;
  isFirst: boolean;
}) {
  const [isOpen, setOpen] = useState(isFirst);
  const value = useQuery({ ...xcomQuery(at, name), enabled: isOpen });
  return (
    <details className={styles.xcom} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <b className="name">{name}</b>{" "}
        <span className="soft">
          <Time at={pushedAt} />
        </span>
      </summary>
      {isOpen && (
        <Answer query={value} what={t("the XCom")}>
          {(found) => <JsonTree value={found.value} />}
        </Answer>
      )}
    </details>
  );
}
