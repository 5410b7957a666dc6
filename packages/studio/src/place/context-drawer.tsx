import { type ReactElement, type ReactNode, useState } from "react";
import { useApi } from "../api/use-api.ts";
import { placeText } from "../i18n/place.ts";
import { useFormats, useText } from "../i18n/use-text.ts";
import { ErrorNotice, Spinner } from "../kit/notices.tsx";
import { CutPreview } from "./cut-preview.tsx";
import { LastCut } from "./last-cut.tsx";
import { FillMeter } from "./fill-meter.tsx";
import { SettingRows } from "./setting-rows.tsx";
import { ToolSwitches } from "./tool-switches.tsx";
import { type Fill, placeOf, usePlace } from "./use-place.ts";

interface ContextDrawerProps {
  /** A chat (`chat:<key>`), a session or an agent. */
  readonly session: string;
  /** What the page puts between the meter and the settings. */
  readonly children?: ReactNode;
}

/** What the next call of a place would read, how full that makes its window, and everything that shapes it [T3]. */
export function ContextDrawer({ session, children }: ContextDrawerProps): ReactElement {
  const text = useText(placeText);
  const { number } = useFormats();
  const place = usePlace(session);
  const next = useApi("turns.fill", { body: placeOf(session) }, { keepPrevious: true });
  const { fill, failure } = next.data ?? {};
  return (
    <>
      <section aria-label={text.fill} className="flex flex-col gap-1.5">
        <h2 className="font-semibold">{text.fill}</h2>
        {next.error && <ErrorNotice error={next.error} onRetry={() => void next.refetch()} />}
        {failure && (
          <p role="status" className="rounded-md bg-warn-soft px-2 py-1.5 text-xs">
            {text.wouldFail(failure.message)} {failure.hint}
          </p>
        )}
        {fill && (
          <>
            <FillMeter fill={fill} />
            <CutPreview session={session} fill={fill} />
          </>
        )}
        <LastCut session={session} />
      </section>
      {children}
      {place.error && <ErrorNotice error={place.error} />}
      {!place.data && !place.error && <Spinner />}
      {place.data && fill && fill.tools.length > 0 && (
        <Part label={text.tools(number(offered(fill)))}>
          <ToolSwitches fill={fill} onSave={place.save} />
        </Part>
      )}
      {place.data && (
        <Part label={text.setHere(number(Object.keys(place.data.own).length))}>
          <SettingRows session={session} {...place.data} fill={fill} onSave={place.save} />
        </Part>
      )}
    </>
  );
}

function offered({ tools }: Fill): number {
  return tools.filter(({ isOffered }) => isOffered).length;
}

/** What is closed is not asked for, and not in the way of the keyboard. */
function Part({ label, children }: { readonly label: string; readonly children: ReactNode }): ReactElement {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary className="cursor-default font-semibold">{label}</summary>
      {isOpen && <div className="mt-2">{children}</div>}
    </details>
  );
}
