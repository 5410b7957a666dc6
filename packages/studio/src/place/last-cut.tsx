import { useQueryClient } from "@tanstack/react-query";
import { Undo2 } from "lucide-react";
import type { ReactElement } from "react";
import { markStale } from "../api/mark-stale.ts";
import { useAction, useApi } from "../api/use-api.ts";
import { placeText } from "../i18n/place.ts";
import { useFormats, useText } from "../i18n/use-text.ts";
import { Button } from "../kit/button.tsx";
import { Folded } from "../kit/folded.tsx";
import { showProblem, showToast } from "../kit/notices.tsx";

/** The cut that is in force in a place, with what stands for what left; it can be undone, since nothing was deleted [F15]. */
export function LastCut({ session }: { readonly session: string }): ReactElement | null {
  const text = useText(placeText);
  const { number, moment } = useFormats();
  const client = useQueryClient();
  const undo = useAction("sessions.undoCompaction");
  const last = useApi("sessions.compactions", { params: { id: session } }).data?.compactions.at(-1);
  if (!last) return null;
  const count = (last.summarised?.count ?? 0) + (last.dropped?.count ?? 0);
  const takeBack = async (): Promise<void> => {
    try {
      await undo.mutateAsync({ params: { id: session } });
      await markStale(client, (route) => route.startsWith("turns.") || route.startsWith("chats."));
      showToast({ text: text.cutUndone });
    } catch (error) {
      showProblem(error);
    }
  };
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
        <Button size="small" icon={Undo2} isDisabled={undo.isPending} onPress={() => void takeBack()}>
          {text.undoCut}
        </Button>
      </div>
    </details>
  );
}
