type Row = Readonly<Record<string, string | number>>;

/** Rows of figures as a table, with a column for every name that any of them has. */
export function figures(rows: readonly Row[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return markdownTable(
    names,
    rows.map((row) => names.map((name) => String(row[name] ?? ""))),
  );
}

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", String.raw`\|`).replaceAll("\n", " ")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
