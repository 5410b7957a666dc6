import { canonicalJson } from "@galley/engine";
import { onOneLine } from "../../limits/short-text.ts";
import type { SettingInForce } from "../../config/settings-in-force.ts";
import { elastic, renderTable, styled } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";

const maxValueLength = 80;

export function settingsText(settings: readonly SettingInForce[], terminal: Terminal): string {
  const table = renderTable(settings, terminal, {
    setting: styled("cyan", "key"),
    value: elastic(({ value }) => onOneLine(valueText(value), maxValueLength)),
    from: ({ from, keys, unused }) => originText(from, keys) + (unused === undefined ? "" : " *"),
  });
  const why = settings.find(({ unused }) => unused !== undefined)?.unused;
  return why === undefined ? table : `${table}\n\n* unused ${why}`;
}

function valueText(value: unknown): string {
  if (value === undefined) return "–";
  // In one order, whether a record is still in memory or has been read back.
  return typeof value === "string" ? value : canonicalJson(value);
}

function originText(from: string, keys: SettingInForce["keys"]): string {
  const names = Object.entries(keys ?? {});
  if (new Set(names.map(([, source]) => source)).size < 2) return from;
  return names.map(([name, source]) => `${name}: ${source}`).join(", ");
}
