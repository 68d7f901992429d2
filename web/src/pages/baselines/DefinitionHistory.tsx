/** Who changed the definition of a stored baseline, and what. */

import { useQuery } from "@tanstack/react-query";
import { type BaselineVersion, baselineHistoryQuery } from "../../api/baselines";
import { Answer } from "../../components/Answer";
import { StackTable } from "../../components/StackTable";
import { Time } from "../../components/Time";
import { t } from "../../state/language";
import { formatDuration } from "../../state/times";
import { Card } from "../../ui/Card";
import { nameWeekday } from "./BaselineFacts";
import { formatShare } from "./baselineLevels";
import styles from "./baselines.module.css";
import { listChanges } from "./definitionChanges";

const FIELDS: Record<string, string> = {
  of: /* text */ "What must be done",
  by: /* text */ "By|time",
  timezone: /* text */ "Zone",
  margin_s: /* text */ "Margin",
  at_risk: /* text */ "At risk above",
  weekdays: /* text */ "On",
  calendar: /* text */ "Calendar",
  owner: /* text */ "Owner",
  to: /* text */ "Channels",
  priority: /* text */ "Priority while at risk",
};

export function DefinitionHistory({ name }: { name: string }) {
  const query = useQuery(baselineHistoryQuery(name));
  return (
    <Card title={t("Changes of the definition")}>
      <Answer query={query} what={t("the baseline")}>
        {({ versions }) => (
          <StackTable label={t("Table of the changes of the definition")} headings={[t("When"), t("Who"), t("What")]}>
            {versions.map((one, at) => (
              <tr key={one.version}>
                <td>
                  <Time at={one.at} />
                </td>
                <td className="name">{one.by.replace(/^(api|cli):/, "")}</td>
                <td>
                  <Changes version={one} before={versions[at + 1]} />
                </td>
              </tr>
            ))}
          </StackTable>
        )}
      </Answer>
    </Card>
  );
}

const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

function word(field: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (field === "at_risk") return formatShare(Number(value));
  if (field === "margin_s") return formatDuration(Number(value));
  if (!Array.isArray(value)) return String(value);
  return value.map((one) => (field === "weekdays" ? nameWeekday(WEEKDAYS.indexOf(String(one))) : one)).join(", ");
}

function Changes({ version, before }: { version: BaselineVersion; before: BaselineVersion | undefined }) {
  if (version.definition === null) return <>{t("deleted|baseline")}</>;
  const changes = listChanges(before?.definition ?? undefined, version.definition, word);
  const isNew = !before?.definition;
  return (
    <>
      {isNew && <span className="soft">{t("made|baseline")}</span>}
      <ul className={styles.changes}>
        {changes.map((one) => (
          <li key={one.field}>
            <span className="soft">{t(FIELDS[one.field] ?? one.field)}</span>{" "}
            {!isNew && (
              <>
                <del>{one.before ?? "–"}</del> →{" "}
              </>
            )}
            <ins>{one.after ?? "–"}</ins>
          </li>
        ))}
      </ul>
    </>
  );
}
