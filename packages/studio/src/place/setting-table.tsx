import type { RouteReply } from "galley/api";
import type { ReactElement } from "react";
import { placeText } from "../i18n/place.ts";
import { useFormats, useText } from "../i18n/use-text.ts";
import { Table, type TableColumn } from "../kit/table.tsx";
import { type SettingName, sayingOfSetting } from "./setting-values.ts";

type Setting = RouteReply<"sessions.call">["settings"][number];

/** Every setting that was in force, its value, and where that came from [T3]. */
export function SettingTable({ settings }: { readonly settings: readonly Setting[] }): ReactElement {
  const text = useText(placeText);
  const formats = useFormats();
  const names: Readonly<Record<string, string>> = text.names;
  const columns: readonly TableColumn<Setting>[] = [
    {
      label: text.key,
      cell: ({ key }) => (
        <>
          {names[key] ?? key} <span className="block font-mono text-2xs text-muted">{key}</span>
        </>
      ),
    },
    {
      label: text.value,
      cell: ({ key, value }) => (
        <span className="wrap-anywhere whitespace-pre-wrap">
          {sayingOfSetting(key as SettingName, value, text, formats)}
        </span>
      ),
    },
    {
      label: text.from,
      cell: ({ from, keys }) =>
        keys === undefined
          ? text.sources[from]
          : Object.entries(keys).map(([name, source]) => (
              <span key={name} className="block">
                <span className="font-mono text-xs">{name}</span>: {text.sources[source]}
              </span>
            )),
    },
  ];
  return <Table label={text.table} columns={columns} rows={settings} rowKey={({ key }) => key} />;
}
