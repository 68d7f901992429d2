/** The installed provider packages. */

import { useQuery } from "@tanstack/react-query";
import { providersQuery } from "../../api/administration";
import { Answer } from "../../components/Answer";
import { StackTable } from "../../components/StackTable";
import { t } from "../../state/language";
import { EmptyState } from "../../ui/EmptyState";
import { ArchiveIcon } from "../../ui/icons";
import { PageHeader } from "../../ui/PageHeader";

export function ProvidersPage() {
  return (
    <>
      <PageHeader
        title={t("Providers")}
        facts={<span>{t("Packages with operators and hooks for other systems")}</span>}
      />
      <Answer query={useQuery(providersQuery())} what={t("the providers")}>
        {(found) =>
          found.providers.length === 0 ? (
            <EmptyState icon={ArchiveIcon} title={t("No provider package is installed.")}>
              {t("A package that is installed beside Gnomon with pip is found by itself.")}
            </EmptyState>
          ) : (
            <StackTable label={t("Providers")} headings={[t("Package"), t("Version"), t("Description")]}>
              {found.providers.map((one) => (
                <tr key={one.package_name}>
                  <td>
                    <b className="name">{one.package_name}</b>
                  </td>
                  <td>{one.version}</td>
                  <td>
                    <span className="name">{one.description}</span>
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
