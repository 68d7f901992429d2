/** All assets with their last event, who writes them and whom they schedule. The filters are the address. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type Asset, type AssetFilters, assetsQuery } from "../../api/across";
import { PAGE_SIZE } from "../../api/queries";
import { Answer } from "../../components/Answer";
import { PageSteps } from "../../components/PageSteps";
import { StackTable } from "../../components/StackTable";
import { Time } from "../../components/Time";
import { TypedField } from "../../components/TypedField";
import { t, tn } from "../../state/language";
import { DagLinks, TaskLinks } from "./AssetLinks";

const route = getRouteApi("/assets");

export function AssetsPage() {
  const filters = route.useSearch();
  const navigate = useNavigate();
  const set = (some: AssetFilters) =>
    void navigate({ to: "/assets", search: { ...filters, page: undefined, ...some }, replace: true });
  return (
    <>
      <h1>{t("Assets")}</h1>
      <form className="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <TypedField
          type="search"
          label={t("Search")}
          placeholder={t("part of a name")}
          value={filters.search ?? ""}
          onTyped={(search) => set({ search: search || undefined })}
        />
      </form>
      <Answer query={useQuery(assetsQuery(filters))} what={t("the assets")}>
        {(found) => (
          <>
            <p className="soft" role="status">
              {tn("{count} asset", "{count} assets", found.total_entries)}
            </p>
            {found.assets.length > 0 && (
              <StackTable
                label={t("Assets")}
                headings={[t("Asset"), t("Last event"), t("Written by"), t("Schedules"), t("Watchers")]}
              >
                {found.assets.map((one) => (
                  <AssetRow key={one.id} asset={one} />
                ))}
              </StackTable>
            )}
            {found.total_entries === 0 && (
              <p>
                {filters.search
                  ? t("No asset has this in its name.")
                  : t("No DAG names an asset. A task that writes one has it in outlets.")}
              </p>
            )}
            <PageSteps
              page={filters.page ?? 1}
              size={PAGE_SIZE}
              total={found.total_entries}
              go={(page) => set({ page })}
            />
          </>
        )}
      </Answer>
    </>
  );
}

function AssetRow({ asset }: { asset: Asset }) {
  return (
    <tr>
      <td>
        <Link className="name" to="/assets/$assetId" params={{ assetId: String(asset.id) }} search={{}}>
          {asset.name}
        </Link>
        {asset.uri !== asset.name && <span className="soft block name">{asset.uri}</span>}
      </td>
      <td>
        <Time at={asset.last_asset_event?.timestamp} />
      </td>
      <td>
        <TaskLinks tasks={asset.producing_tasks} />
      </td>
      <td>
        <DagLinks dagIds={asset.scheduled_dags.map((one) => one.dag_id)} />
      </td>
      <td>{asset.watchers.length || <span className="soft">–</span>}</td>
    </tr>
  );
}
