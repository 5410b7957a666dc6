import type { ImportNote } from "@galley/engine/sillytavern";
import { type ReactElement, useState } from "react";
import { importText } from "../../i18n/import.ts";
import { noteIn } from "../../i18n/import-notes.ts";
import { useFormats, useLanguage, useText } from "../../i18n/use-text.ts";
import { RadioGroup } from "../../kit/fields.tsx";
import { Table } from "../../kit/table.tsx";
import { Tag } from "../../kit/tag.tsx";
import { Section } from "../../kit/section.tsx";

type Fate = ImportNote["fate"];

const fates = ["unsupported", "repaired", "converted", "kept"] as const satisfies readonly Fate[];
const tones = { kept: "good", converted: "accent", repaired: "warn", unsupported: "bad" } as const;
/** How many lines are shown at once. */
const shown = 100;

/** What was kept, converted, repaired and not supported; what is not supported comes first. */
export function ReportTable({ notes }: { readonly notes: readonly ImportNote[] }): ReactElement {
  const text = useText(importText);
  const formats = useFormats();
  const language = useLanguage();
  const [filter, setFilter] = useState<Fate | "">("");
  const counts = Map.groupBy(notes, ({ fate }) => fate);
  const found = fates.flatMap((fate) => (filter === "" || filter === fate ? (counts.get(fate) ?? []) : []));
  const present = fates.filter((fate) => counts.has(fate));
  return (
    <Section title={text.report}>
      <div className="mb-2">
        <RadioGroup<Fate | "">
          aria-label={text.filter}
          value={filter}
          onChange={setFilter}
          options={Object.fromEntries([
            ["", `${text.everything} (${formats.number(notes.length)})`],
            ...present.map((fate) => [fate, `${text.fates[fate]} (${formats.number(counts.get(fate)?.length ?? 0)})`]),
          ])}
        />
      </div>
      <Table
        label={text.report}
        rows={found.slice(0, shown).map((note, index) => ({ ...note, key: `${index} ${note.path}` }))}
        rowKey={({ key }) => key}
        columns={[
          {
            label: text.fate,
            cell: ({ fate }) => (
              <span className="whitespace-nowrap">
                <Tag tone={tones[fate]}>{text.fates[fate]}</Tag>
              </span>
            ),
          },
          { label: text.what, cell: ({ message }) => noteIn(language, message) },
          {
            label: text.where,
            isExtra: true,
            // A width of its own: long messages would squeeze it to a letter or two in each line.
            cell: ({ path }) => (
              <div className="w-56 font-mono text-xs [overflow-wrap:anywhere] text-muted">{path}</div>
            ),
          },
        ]}
      />
      {found.length > shown && <p className="mt-1 text-muted">{text.more(found.length - shown)}</p>}
    </Section>
  );
}
