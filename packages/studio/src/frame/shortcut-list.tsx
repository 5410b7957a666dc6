import type { ReactElement } from "react";
import { showKeys, useAllCommands } from "./commands.ts";

/** The keys that do something now. */
export function ShortcutList(): ReactElement {
  const commands = useAllCommands().filter(({ keys }) => keys);
  return (
    <dl className="grid grid-cols-[1fr_auto] gap-x-6">
      {commands.map(({ id, label, keys = "" }) => (
        <div key={id} className="col-span-2 grid grid-cols-subgrid items-center border-b border-line py-1.5">
          <dt>{label}</dt>
          <dd>
            <kbd className="rounded border border-edge bg-sunken px-1.5 py-0.5 font-mono text-xs">{showKeys(keys)}</kbd>
          </dd>
        </div>
      ))}
    </dl>
  );
}
