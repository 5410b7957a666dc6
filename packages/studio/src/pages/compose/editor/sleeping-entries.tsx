import type { Preset } from "@galley/engine";
import { useQuery } from "@tanstack/react-query";
import { type ReactElement, useDeferredValue, useMemo } from "react";
import { replaceWith } from "../../../document/document-draft.ts";
import { lorebookText } from "../../../i18n/lorebook.ts";
import { useText } from "../../../i18n/use-text.ts";
import { Button } from "../../../kit/button.tsx";
import { showToast } from "../../../kit/notices.tsx";
import { useDocument, useEditor } from "../state/editor-state.ts";

/** Offers to bring the lorebook entries of an earlier import alive [K2a]. Only what was imported is looked at. */
export function SleepingEntries(): ReactElement | null {
  const isImported = useDocument((state) => state.preset.metadata?.["sillytavern"] !== undefined);
  return isImported ? <Offer /> : null;
}

function Offer(): ReactElement | null {
  const text = useText(lorebookText);
  const { document } = useEditor();
  const preset = useDeferredValue(useDocument((state) => state.preset));
  const { data: tavern } = useQuery({
    queryKey: ["reading SillyTavern's files"],
    queryFn: () => import("@galley/engine/sillytavern"),
    staleTime: Infinity,
  });
  const count = useMemo(() => (tavern ? countOf(tavern.sleepingEntries, preset) : 0), [tavern, preset]);
  if (!tavern || count === 0) return null;
  const revive = (): void => {
    const alive = tavern.reviveEntries(document.store.getState().preset);
    document.edit("revive entries", (draft) => replaceWith(draft, alive));
    showToast({ text: text.revived(count), undo: () => void document.undo() });
  };
  return (
    <div role="status" className="flex flex-wrap items-center gap-3 border-b border-line bg-sunken px-4 py-2">
      <span className="min-w-0 flex-1">{text.sleeping(count)}</span>
      <Button size="small" look="primary" onPress={revive}>
        {text.revive(count)}
      </Button>
    </div>
  );
}

/** Of a preset that is half written nothing is known. */
function countOf(count: (preset: Preset) => number, preset: Preset): number {
  try {
    return count(preset);
  } catch {
    return 0;
  }
}
