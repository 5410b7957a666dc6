import { type ReactElement, type ReactNode, useState } from "react";
import { useApi } from "../api/use-api.ts";
import { placeText } from "../i18n/place.ts";
import { useFormats, useText } from "../i18n/use-text.ts";
import { ErrorNotice, Spinner, showProblem, showToast, useDeed } from "../kit/notices.tsx";
import { CutPreview } from "./cut-preview.tsx";
import { FillMeter } from "./fill-meter.tsx";
import { SettingRows } from "./setting-rows.tsx";
import { placeOf } from "./place-of.ts";
import { type Fill, type SettingChange, usePlace } from "./use-place.ts";
import { useQueryClient } from "@tanstack/react-query";
import { Undo2 } from "lucide-react";
import { markStale } from "../api/mark-stale.ts";
import { Button } from "../kit/button.tsx";
import { Folded } from "../kit/folded.tsx";
import { Switch } from "../kit/fields.tsx";
import { toolChange } from "./tool-change.ts";

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

/** The cut that is in force in a place, with what stands for what left; it can be undone, since nothing was deleted [F15]. */
function LastCut({ session }: { readonly session: string }): ReactElement | null {
  const text = useText(placeText);
  const { number, moment } = useFormats();
  const client = useQueryClient();
  const undo = useDeed("sessions.undoCompaction");
  const last = useApi("sessions.compactions", { params: { id: session } }).data?.compactions.at(-1);
  if (!last) return null;
  const count = (last.summarised?.count ?? 0) + (last.dropped?.count ?? 0);
  const takeBack = (): void =>
    undo.run({ params: { id: session } }, async () => {
      await markStale(client, (route) => route.startsWith("turns.") || route.startsWith("chats."));
      showToast({ text: text.cutUndone });
    });
  return (
    <details className="text-xs" data-last-cut={last.id}>
      <summary className="cursor-default text-muted">{text.lastCut(number(count), moment(last.ts))}</summary>
      <div className="mt-1 flex flex-col items-start gap-1.5">
        {last.summary && (
          <div className="w-full rounded-md bg-sunken p-2">
            <Folded isTall>
              <p className="wrap-anywhere whitespace-pre-wrap">{last.summary}</p>
            </Folded>
          </div>
        )}
        <p className="text-muted">{text.undoCutHint}</p>
        <Button size="small" icon={Undo2} isDisabled={undo.isPending} onPress={takeBack}>
          {text.undoCut}
        </Button>
      </div>
    </details>
  );
}

interface ToolSwitchesProps {
  readonly fill: Fill;
  readonly onSave: (change: SettingChange) => Promise<void>;
}

type FillTool = Fill["tools"][number];

const groups = ["chat", "handover", "recall", "pins", "canvas", undefined] as const;

/** The tools by who provides them, with what they cost. Galley's own have a switch; what others bring has none here. */
function ToolSwitches({ fill, onSave }: ToolSwitchesProps): ReactElement {
  const text = useText(placeText);
  const { number } = useFormats();
  const set = (tool: FillTool, isOn: boolean): void => {
    onSave(toolChange(fill, tool, isOn)).catch(showProblem);
  };
  return (
    <div className="flex flex-col gap-3">
      {groups.map((group) => {
        const tools = fill.tools.filter((tool) => tool.group === group);
        if (tools.length === 0) return null;
        const sum = tools.reduce((tokens, tool) => tokens + (tool.isOffered ? tool.tokens : 0), 0);
        const label = group === undefined ? text.otherTools : text.toolGroups[group];
        return (
          <section key={label} aria-label={label}>
            <h3 className="flex text-xs text-muted">
              <span className="flex-1">{label}</span>
              <span className="tabular-nums">{number(sum)}</span>
            </h3>
            <ul className="mt-1 flex flex-col gap-1">
              {tools.map((tool) => (
                <li key={tool.name} className="flex items-center gap-2 text-xs">
                  {group === undefined ? (
                    <span className="min-w-0 flex-1 font-mono wrap-anywhere">{tool.name}</span>
                  ) : (
                    <span className="min-w-0 flex-1">
                      <Switch isSelected={tool.isOffered} onChange={(isOn) => set(tool, isOn)}>
                        <span className="font-mono wrap-anywhere">{tool.name}</span>
                      </Switch>
                    </span>
                  )}
                  <span className="text-muted tabular-nums">{number(tool.tokens)}</span>
                </li>
              ))}
            </ul>
          </section>
        );
      })}
      <p className="text-xs text-muted">{text.toolsHint}</p>
    </div>
  );
}
