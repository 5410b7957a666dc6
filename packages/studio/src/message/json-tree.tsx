import { type ReactElement, useDeferredValue, useMemo, useState } from "react";
import { messageTexts } from "../i18n/message.ts";
import { useFormats, useText } from "../i18n/use-text.ts";
import { SearchField } from "../kit/fields.tsx";
import { CopyButton } from "./copy-button.tsx";
import { findInJson, jsonPath } from "./find-in-json.ts";
import { jsonText } from "./message-blocks.ts";

/** JSON to read: what is closed is not rendered, every value can be searched for and copied. */
export function JsonTree({ label, value }: { readonly label: string; readonly value: unknown }): ReactElement {
  const text = useText(messageTexts);
  const { number } = useFormats();
  const [wanted, setWanted] = useState("");
  const asked = useDeferredValue(wanted.trim());
  const found = useMemo(() => (asked === "" ? undefined : findInJson(value, asked)), [value, asked]);
  return (
    <section aria-label={label} className="flex flex-col gap-2">
      <SearchField label={text.searchJson} value={wanted} onChange={setWanted} isPageSearch className="max-w-md" />
      {found ? (
        <>
          <p role="status" className="text-xs text-muted">
            {text.jsonFound(number(found.length))}
          </p>
          <ul>
            {found.map(({ path, value: hit }) => (
              <li key={jsonPath(path)} className="border-b border-line py-1">
                <Leaf name={jsonPath(path)} value={hit} />
              </li>
            ))}
          </ul>
        </>
      ) : (
        <Branch name="" value={value} isOpen />
      )}
    </section>
  );
}

interface NodeProps {
  /** The key that it stands under; nothing for the whole. */
  readonly name: string;
  readonly value: unknown;
}

function Branch({ name, value, isOpen: opensFirst = false }: NodeProps & { readonly isOpen?: boolean }): ReactElement {
  const text = useText(messageTexts);
  const [isOpen, setIsOpen] = useState(opensFirst);
  if (typeof value !== "object" || value === null) return <Leaf name={name} value={value} />;
  const items = Object.entries(value);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const kind = (value as { readonly role?: unknown; readonly type?: unknown; readonly name?: unknown }) ?? {};
  const hint = [kind.role, kind.type, kind.name].find((one) => typeof one === "string");
  return (
    <div className="flex items-start gap-1">
      <details
        open={isOpen}
        onToggle={(event) => {
          // The event of a branch inside comes here as well.
          if (event.target === event.currentTarget) setIsOpen(event.currentTarget.open);
        }}
        className="min-w-0 flex-1"
      >
        <summary className="cursor-default font-mono text-xs">
          {name !== "" && <span className="text-accent">{name} </span>}
          <span className="text-muted">
            {open} {items.length} {close}
            {hint !== undefined && !Array.isArray(value) && ` ${hint}`}
          </span>
        </summary>
        {isOpen && (
          <ul className="border-l border-line pl-3">
            {items.map(([key, item]) => (
              <li key={key}>
                <Branch name={key} value={item} />
              </li>
            ))}
          </ul>
        )}
      </details>
      <CopyButton text={() => jsonText(value)} label={copyName(text.copy, name)} />
    </div>
  );
}

function Leaf({ name, value }: NodeProps): ReactElement {
  const text = useText(messageTexts);
  const shown = typeof value === "string" ? value : JSON.stringify(value);
  return (
    <div className="flex items-start gap-1 font-mono text-xs">
      <span className="min-w-0 flex-1 wrap-anywhere whitespace-pre-wrap">
        {name !== "" && <span className="text-accent">{name} </span>}
        {shown}
      </span>
      <CopyButton text={shown} label={copyName(text.copy, name)} />
    </div>
  );
}

function copyName(copy: string, name: string): string {
  return name === "" ? copy : `${copy}: ${name}`;
}
