import { Ellipsis } from "lucide-react";
import { type ReactElement, useState } from "react";
import { useAction } from "../../api/use-api.ts";
import { Link } from "../../frame/link.tsx";
import { navigate, useQueryState } from "../../frame/navigation-state.ts";
import { pathTo } from "../../frame/routes.ts";
import { chatsText } from "../../i18n/chats.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { IconButton } from "../../kit/button.tsx";
import { classes } from "../../kit/classes.ts";
import { Menu } from "../../kit/menu.tsx";
import { showToast } from "../../kit/toast.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import type { ChatData } from "./chat-data.ts";
import { TitleDialog } from "./title-dialog.tsx";

export interface ContextCardProps {
  readonly chat: string;
  readonly context: ChatData["contexts"][number];
  /** The words around a match, or the beginning of the summary. */
  readonly snippet: string;
}

/** One archived context: what it was about, and a menu with what can be done with it. */
export function ContextCard({ chat, context, snippet }: ContextCardProps): ReactElement {
  const text = useText(chatsText);
  const { number, dateTime } = useFormats();
  const { query } = useQueryState();
  const isShown = query["context"] === context.contextId;
  return (
    <article
      className={classes(
        "rounded-md border px-3 py-2",
        isShown ? "border-accent bg-accent-soft" : "border-line bg-raised",
      )}
    >
      <div className="flex items-start gap-1">
        <Link
          className="min-w-0 flex-1 font-medium hover:underline"
          href={pathTo("chats", { key: chat }, { ...query, context: context.contextId })}
        >
          {context.title}
        </Link>
        <span className="-mt-1 -mr-1.5 -mb-1">
          <ContextMenu chat={chat} context={context} />
        </span>
      </div>
      <p className="text-xs text-muted">
        {text.messages(number(context.messageCount))} · {dateTime(context.archivedAt)}
      </p>
      {snippet && <p className="mt-1 line-clamp-2 text-xs text-muted">{snippet}</p>}
    </article>
  );
}

/** Loading, renaming and deleting; the same wherever a context is shown. */
export function ContextMenu({ chat, context }: Omit<ContextCardProps, "snippet">): ReactElement {
  const text = useText(chatsText);
  const [asks, setAsks] = useState<"rename" | "delete" | undefined>();
  const load = useLoad(chat);
  const rename = useAction("chats.rename");
  const remove = useAction("chats.deleteContext");
  const params = { key: chat, contextId: context.contextId };
  const modes = ["full", "recent", "summary"] as const;
  return (
    <>
      <Menu
        label={`${text.more}: ${context.title}`}
        trigger={
          <IconButton label={`${text.more}: ${context.title}`} size="small">
            <Ellipsis aria-hidden size={14} />
          </IconButton>
        }
        groups={[
          modes.map((mode) => ({
            id: mode,
            label: text.loadModes[mode],
            onAction: () => void load(context.contextId, mode),
          })),
          [
            { id: "rename", label: text.rename, onAction: () => setAsks("rename") },
            { id: "delete", label: text.delete, isDangerous: true, onAction: () => setAsks("delete") },
          ],
        ]}
      />
      {asks === "rename" && (
        <TitleDialog
          title={text.renameTitle}
          label={text.contextTitle}
          initial={context.title}
          isRequired
          confirm={text.save}
          onClose={() => setAsks(undefined)}
          onConfirm={async (title) => void (await rename.mutateAsync({ params, body: { title } }))}
        />
      )}
      <ConfirmDialog
        title={text.deleteContextTitle}
        body={text.deleteContextBody(context.title)}
        confirm={text.delete}
        isOpen={asks === "delete"}
        onClose={() => setAsks(undefined)}
        onConfirm={async () => {
          const { removedCopies } = await remove.mutateAsync({ params, query: { confirm: context.contextId } });
          showToast({ text: text.deleted(removedCopies.length > 0) });
        }}
      />
    </>
  );
}

type Load = (contextId: string, mode: "full" | "recent" | "summary") => Promise<void>;

/** Brings a context back and shows the conversation again. */
export function useLoad(chat: string): Load {
  const text = useText(chatsText);
  const { number } = useFormats();
  const load = useAction("chats.load");
  return async (contextId, mode) => {
    try {
      const { loaded } = await load.mutateAsync({ params: { key: chat }, body: { contextId, mode } });
      showToast({ text: loaded ? text.loaded(loaded.title, number(loaded.messageCount)) : text.notLoaded });
      navigate(pathTo("chats", { key: chat }));
    } catch (error) {
      showToast({ text: error instanceof Error ? error.message : text.notLoaded, tone: "bad" });
    }
  };
}
