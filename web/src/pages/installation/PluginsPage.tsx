/** The plugins that are loaded, and those that cannot be. */

import { useQuery } from "@tanstack/react-query";
import { pluginErrorsQuery, pluginsQuery } from "../../api/administration";
import { Answer } from "../../components/Answer";
import { StackTable } from "../../components/StackTable";
import { t } from "../../state/language";
import { EmptyState } from "../../ui/EmptyState";
import { CodeIcon } from "../../ui/icons";
import { PageHeader } from "../../ui/PageHeader";

export function PluginsPage() {
  return (
    <>
      <PageHeader title={t("Plugins")} facts={<span>{t("Code that extends this installation")}</span>} />
      <Answer query={useQuery(pluginErrorsQuery())} what={t("the errors of plugins")}>
        {(found) =>
          found.import_errors.length === 0 ? null : (
            <section className="notice" aria-label={t("Plugins that cannot be loaded")}>
              <h2>{t("Plugins that cannot be loaded")}</h2>
              {found.import_errors.map((one) => (
                <details key={one.source}>
                  <summary className="name">{one.source}</summary>
                  <pre className="stack" tabIndex={0}>
                    {one.error}
                  </pre>
                </details>
              ))}
            </section>
          )
        }
      </Answer>
      <Answer query={useQuery(pluginsQuery())} what={t("the plugins")}>
        {(found) =>
          found.plugins.length === 0 ? (
            <EmptyState icon={CodeIcon} title={t("No plugin is installed.")}>
              {t("A Python file in the plugins folder, or a package with an entry point, adds one.")}
            </EmptyState>
          ) : (
            <StackTable label={t("Plugins")} headings={[t("Plugin"), t("From|package"), t("Timetables")]}>
              {found.plugins.map((one) => (
                <tr key={one.name}>
                  <td>
                    <b className="name">{one.name}</b>
                  </td>
                  <td>
                    <span className="name">{one.source}</span>
                  </td>
                  <td>
                    <span className="name">{one.timetables.join(", ") || "–"}</span>
                  </td>
                </tr>
              ))}
            </StackTable>
          )
        }
      </Answer>
    </>
  );
}
