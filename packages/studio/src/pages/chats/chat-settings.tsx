import type { RouteReply } from "galley/api";
import type { ReactElement } from "react";
import { useAction, useApi } from "../../api/use-api.ts";
import { chatsText } from "../../i18n/chats.ts";
import { useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { Select } from "../../kit/select.tsx";
import { showToast } from "../../kit/toast.tsx";
import type { ChatData } from "./chat-data.ts";
import { modelChoices } from "./model-choices.ts";

export interface ChatSettingsProps {
  readonly chat: string;
  readonly data: ChatData | undefined;
}

const byDefault = "(default)";

/** Which model and which preset the chat uses; a model that cannot be used says what is missing. */
export function ChatSettings({ chat, data }: ChatSettingsProps): ReactElement {
  const text = useText(chatsText);
  const info = useApi("info.get", {});
  const models = useApi("models.list", {});
  const presets = useApi("presets.list", {});
  const configure = useAction("chats.settings");
  const set = (body: { model?: string | null; preset?: string | null }): void =>
    configure.mutate(
      { params: { key: chat }, body },
      { onError: (error) => showToast({ text: error.message, tone: "bad" }) },
    );
  const chosen = models.data?.models.find(({ id }) => id === (data?.model ?? info.data?.defaultModel));
  const names = presets.data?.presets ?? [];
  return (
    <div className="flex flex-col gap-2 border-b border-line px-4 py-2">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Select
          inline
          label={text.model}
          options={[
            { id: byDefault, label: text.defaultModel(info.data?.defaultModel ?? "…") },
            ...modelChoices(models.data?.models ?? [], data?.model).map(({ id, usable }) => ({
              id,
              label: id,
              ...(!usable && { note: text.unusable }),
            })),
          ]}
          value={data ? (data.model ?? byDefault) : undefined}
          onChange={(id) => set({ model: id === byDefault ? null : id })}
        />
        <Select
          inline
          label={text.preset}
          options={[
            { id: byDefault, label: text.noPreset },
            ...names.map(({ id, name }) => ({ id, label: name || id })),
          ]}
          value={data ? (data.preset ?? byDefault) : undefined}
          onChange={(id) => set({ preset: id === byDefault ? null : id })}
        />
      </div>
      {chosen && !chosen.usable && <Unusable model={chosen} onDemo={() => set({ model: "demo" })} />}
    </div>
  );
}

interface UnusableProps {
  readonly model: RouteReply<"models.list">["models"][number];
  readonly onDemo: () => void;
}

function Unusable({ model, onDemo }: UnusableProps): ReactElement {
  const text = useText(chatsText);
  return (
    <div role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md bg-warn-soft px-3 py-1.5">
      <span className="font-medium text-warn">{text.modelUnusable(model.id)}</span>
      <span className="min-w-0">{model.why}</span>
      <Button size="small" onPress={onDemo}>
        {text.useDemo}
      </Button>
    </div>
  );
}
