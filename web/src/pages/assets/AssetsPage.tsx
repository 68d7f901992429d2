/** All assets with their last event, who writes them and whom they schedule. The filters are the address. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type Asset, type AssetFilters, assetsQuery } from "../../api/across";
import { PAGE_SIZE } from "../../api/queries";
import { Answer } from "../../components/Answer";
import { PageSteps } from "../../components/PageSteps";
import { StackTable } from "../../components/StackTable";
import { Time } from "../../components/Time";
import { t, tn } from "../../state/language";
import { buttonClass } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { AssetIcon } from "../../ui/icons";
import { PageHeader, Toolbar } from "../../ui/PageHeader";
import { SearchBox } from "../../ui/SearchBox";
import { DagLinks, TaskLinks } from "./AssetLinks";

const route = getRouteApi("/assets");

export function AssetsPage() {
  const filters = route.useSearch();
  const navigate = useNavigate();
  const set = (some: AssetFilters) =>
    void navigate({ to: "/assets", search: { ...filters, page: undefined, ...some }, replace: true });
  const list = useQuery(assetsQuery(filters));
  return (
    <>
      <PageHeader
        title={t("Assets")}
        facts={list.data && <span role="status">{tn("{count} asset", "{count} assets", list.data.total_entries)}</span>}
        acts={
          <Link to="/dependencies/graph" search={{}} className={buttonClass()}>
            {t("Graph of DAGs and assets")}
          </Link>
        }
      />
      <Toolbar label={t("Controls")}>
        <SearchBox
          label={t("Search")}
          placeholder={t("part of a name")}
          value={filters.search}
          onChange={(search) => set({ search })}
        />
      </Toolbar>
      <Answer query={list} what={t("the assets")}>
        {(found) => (
          <>
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
              <EmptyState
                icon={AssetIcon}
                title={filters.search ? t("No asset has this in its name.") : t("No DAG names an asset.")}
              >
                {!filters.search &&
                  t(
                    "A task that writes an asset has it in its outlets, and a DAG that waits for it has it as its schedule.",
                  )}
              </EmptyState>
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
      <td>{asset.watchers.length || <span className="soft none">–</span>}</td>
    </tr>
  );
}
