import type { RouteReply } from "galley/api";
import { type ReactElement, useState } from "react";
import { useApi } from "../../api/use-api.ts";
import { usePreferences } from "../../browser/preferences.ts";
import { settingsText } from "../../i18n/settings.ts";
import { isUnchecked, usabilityText } from "../../i18n/usability.ts";
import { useText } from "../../i18n/use-text.ts";
import { SearchField, Switch } from "../../kit/fields.tsx";
import { Table, type TableColumn } from "../../kit/table.tsx";
import { Tag } from "../../kit/tag.tsx";
import { useLoaded } from "../../kit/notices.tsx";
import { ModelBox } from "../../place/model-box.tsx";
import { providerLabel } from "./provider-dialog.tsx";

type Model = RouteReply<"models.list">["models"][number];

/** How many lines are shown at once; the catalogue has hundreds. */
const shown = 50;

export function ModelSettings(): ReactElement {
  const { data, pending } = useLoaded("models.list", {});
  if (pending) return pending;
  return (
    <div className="flex flex-col gap-4">
      <DefaultModel />
      <ModelTable models={data.models} />
    </div>
  );
}

function DefaultModel(): ReactElement {
  const text = useText(settingsText);
  const { data: info } = useApi("info.get", {});
  const { defaultModel, set } = usePreferences();
  return (
    <ModelBox
      label={text.defaultModel}
      value={defaultModel}
      onChange={(id) => set({ defaultModel: id })}
      byDefault={text.daemonDefault(info?.defaultModel ?? "…")}
    />
  );
}

function ModelTable({ models }: { readonly models: readonly Model[] }): ReactElement {
  const text = useText(settingsText);
  const columns = useColumns();
  const [typed, setTyped] = useState("");
  const [showsAll, setShowsAll] = useState(false);
  const found = models.filter(
    ({ id, provider, usable }) =>
      // A pattern stands for what a server may have; its models are listed once it was tested.
      !id.includes("*") && (usable || showsAll) && `${id} ${provider}`.toLowerCase().includes(typed.toLowerCase()),
  );
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-4">
        <SearchField label={text.search} value={typed} onChange={setTyped} isPageSearch className="w-64" />
        <Switch isSelected={showsAll} onChange={setShowsAll}>
          {text.showAll}
        </Switch>
      </div>
      <Table
        label={text.models}
        rows={found.slice(0, shown)}
        rowKey={({ id, provider }) => `${provider} ${id}`}
        columns={columns}
      />
      {found.length === 0 && <p className="text-muted">{text.noModels}</p>}
      {found.length > shown && <p className="text-muted">{text.more(found.length - shown)}</p>}
    </div>
  );
}

function useColumns(): readonly TableColumn<Model>[] {
  const text = useText(settingsText);
  const told = useText(usabilityText);
  const exactness: Readonly<Record<string, string>> = text.exactness;
  return [
    {
      label: text.model,
      cell: ({ id, provider }) => (
        <>
          <span className="font-mono text-xs">{id}</span>
          {!id.startsWith(provider) && <span className="block text-xs text-muted">{providerLabel(provider)}</span>}
        </>
      ),
    },
    {
      label: text.usable,
      cell: ({ usable, why }) => (
        <>
          <Tag tone={!usable ? "warn" : isUnchecked(why) ? "plain" : "good"}>
            {!usable ? text.notUsable : isUnchecked(why) ? text.untested : text.usable}
          </Tag>{" "}
          <span className="text-muted">{told.whyHere(why)}</span>
        </>
      ),
    },
    { label: text.window, isNumber: true, isExtra: true, cell: ({ contextWindow }) => contextWindow || "–" },
    {
      label: text.tokenizer,
      isExtra: true,
      cell: ({ tokenizer }) => `${tokenizer.name} (${exactness[tokenizer.exactness] ?? tokenizer.exactness})`,
    },
  ];
}
