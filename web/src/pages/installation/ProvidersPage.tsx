/** The installed provider packages. */

import { useQuery } from "@tanstack/react-query";
import { providersQuery } from "../../api/administration";
import { Answer } from "../../components/Answer";
import { StackTable } from "../../components/StackTable";
import { t } from "../../state/language";

export function ProvidersPage() {
  return (
    <>
      <h1>{t("Providers")}</h1>
      <Answer query={useQuery(providersQuery())} what={t("the providers")}>
        {(found) =>
          found.providers.length === 0 ? (
            <p>
              {t(
                "No provider package is installed. A package that is installed beside Gnomon with pip is found by itself.",
              )}
            </p>
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
