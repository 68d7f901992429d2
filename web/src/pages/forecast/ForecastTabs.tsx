/** The views of the forecast: what comes, and how good earlier predictions were. */

import { Link } from "@tanstack/react-router";
import { t } from "../../state/language";
import { TabLinks } from "../../ui/Tabs";

export function ForecastTabs() {
  return (
    <TabLinks label={t("Views of the forecast")}>
      <Link to="/forecast" activeOptions={{ exact: true, includeSearch: false }}>
        {t("Coming runs")}
      </Link>
      <Link to="/forecast/accuracy">{t("Accuracy|forecast")}</Link>
    </TabLinks>
  );
}
