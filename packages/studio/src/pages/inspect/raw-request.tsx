import { type ReactElement, useMemo, useState } from "react";
import { downloadJson, downloadText } from "../../browser/download.ts";
import { inspectText } from "../../i18n/inspect.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { CopyButton } from "../../message/copy-button.tsx";
import { JsonTree } from "../../message/json-tree.tsx";
import type { Call } from "./call-summary.tsx";

// A browser becomes slow on one text node of many megabytes; copying and downloading give all of it.
const maxShown = 200_000;

/** The request as it went out, byte for byte; and the build as a file that Compare and the command read. */
export function RawRequest({ call }: { readonly call: Call }): ReactElement {
  const text = useText(inspectText);
  const { number } = useFormats();
  const { raw } = call;
  const [isText, setIsText] = useState(false);
  const parsed = useMemo(() => parsedJson(raw), [raw]);
  const asText = isText || parsed === undefined;
  const name = `${call.session.replaceAll(/[^\p{L}\p{N}]+/gu, "-")}-${call.n}`;
  return (
    <div className="flex flex-col gap-2 p-4">
      <div className="flex flex-wrap items-center gap-2">
        <p className="text-muted">
          {raw !== null
            ? text.rawHint
            : call.isLogged
              ? text.rawOfLog
              : call.model === "demo"
                ? text.rawNone
                : text.rawGone}
        </p>
        {raw !== null && (
          <>
            <span className="text-xs text-muted tabular-nums">{text.bytes(number(new Blob([raw]).size))}</span>
            <CopyButton text={raw} label={text.copyRaw}>
              {text.copyRaw}
            </CopyButton>
            {parsed !== undefined && (
              <Button size="small" onPress={() => setIsText(!isText)}>
                {isText ? text.asTree : text.asText}
              </Button>
            )}
            <Button size="small" onPress={() => downloadText(`${name}-request.json`, raw)}>
              {text.download}
            </Button>
          </>
        )}
        <Button size="small" onPress={() => downloadJson(`${name}-build.json`, buildOf(call))}>
          {text.buildFile}
        </Button>
      </div>
      {parsed !== undefined && !asText && <JsonTree label={text.raw} value={parsed} />}
      {raw !== null && asText && raw.length > maxShown && (
        <p className="text-warn">{text.rawCut(number(maxShown), number(raw.length))}</p>
      )}
      {raw !== null && asText && (
        <textarea
          readOnly
          data-raw
          aria-label={text.raw}
          spellCheck={false}
          className="h-[60vh] w-full resize-y rounded-md border border-line bg-sunken p-3 font-mono text-xs"
          value={raw.slice(0, maxShown)}
        />
      )}
    </div>
  );
}

/** The fields that `galley build --json` prints and `galley diff` reads. */
function buildOf({ messages, tools, ledger, stats, digest, recipe, stablePrefix, model }: Call): object {
  return { messages, tools, stats, ledger, digest, recipe, stablePrefix, model };
}

function parsedJson(raw: string | null): unknown {
  if (raw === null) return undefined;
  try {
    return JSON.parse(raw) as unknown;
  } catch {
    // Secrets may have been taken out in a way that leaves no JSON.
    return undefined;
  }
}
