/** Which columns the list of DAGs has. */

import { t } from "../../state/language";
import { ColumnsIcon } from "../../ui/icons";
import { Popover } from "../../ui/Popover";
import { COLUMNS, useDagColumns } from "./dagColumns";

export function ColumnsMenu() {
  const [hidden, show] = useDagColumns();
  return (
    <Popover label={null} name={t("Columns")} icon={ColumnsIcon} look="quiet" placement="bottom-end" isBare>
      <fieldset>
        <legend>{t("Columns")}</legend>
        {COLUMNS.map(([column, label]) => (
          <label key={column}>
            <input
              type="checkbox"
              checked={!hidden.has(column)}
              onChange={(event) => show(column, event.target.checked)}
            />
            {t(label)}
          </label>
        ))}
      </fieldset>
    </Popover>
  );
}
