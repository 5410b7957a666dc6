import type { RouteReply } from "galley/api";
import { parsePlaceId } from "galley/api/client";
import { type ReactElement, useState } from "react";
import { useSessionNames } from "../../api/session-names.ts";
import { useAction, useApi } from "../../api/use-api.ts";
import { navigate, useQueryState } from "../../frame/location.tsx";
import { pathTo } from "../../frame/routes.ts";
import { handoverText } from "../../i18n/handover.ts";
import { useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { Select, TextField } from "../../kit/fields.tsx";
import { Form } from "../../kit/form.tsx";
import { ErrorNotice } from "../../kit/notices.tsx";
import { ModelBox } from "../../place/model-box.tsx";

interface ContextOption {
  readonly id: string;
  readonly label: string;
  readonly note?: string;
}

const none = "(none)";

/** What a task can be given to read: a conversation, or what an earlier task gave or saw. */
function useContexts(chosen: string): readonly ContextOption[] {
  const text = useText(handoverText);
  const nameOf = useSessionNames();
  const sessions = useApi("sessions.list", {}).data?.sessions ?? [];
  const tasks = useApi("tasks.list", { query: { limit: 100 } }).data?.tasks ?? [];
  const places = sessions.filter(({ id }) => parsePlaceId(id).kind !== "task").map(({ id }) => id);
  const options: readonly ContextOption[] = [
    ...places.map((id) => ({ id: `place ${id}`, label: nameOf(id), note: text.placeKinds[parsePlaceId(id).kind] })),
    ...tasks.flatMap(({ outputBoxId, instruction, profileName, agentId, finishedAt }) =>
      finishedAt === null
        ? []
        : [{ id: `box ${outputBoxId}`, label: instruction, note: text.gaveBy(profileName ?? agentId) }],
    ),
  ];
  const isListed = chosen === none || options.some(({ id }) => id === chosen);
  const label = chosen.startsWith("box ") ? text.someBox : nameOf(chosen.slice("place ".length));
  return [{ id: none, label: text.noContext }, ...(isListed ? [] : [{ id: chosen, label }]), ...options];
}

/** The context that the address names: the page of a chat or of a box leads here. */
function contextOf({ from, box }: Readonly<Record<string, string>>): string {
  if (from !== undefined) return `place ${from}`;
  return box === undefined ? none : `box ${box}`;
}

type TaskProfile = RouteReply<"profiles.list">["profiles"][number];

/** Gives a task to a profile, as a person does. */
export function GiveTask({ profiles }: { readonly profiles: readonly TaskProfile[] }): ReactElement {
  const text = useText(handoverText);
  const { query } = useQueryState();
  const start = useAction("tasks.start");
  const [chosen, setChosen] = useState<string>();
  const [instruction, setInstruction] = useState("");
  const [model, setModel] = useState("");
  const profile = profiles.find(({ name }) => name === chosen) ?? profiles[0];
  const give = (): void => {
    if (!profile || instruction.trim() === "") return;
    const { from, box } = query;
    const read = { ...(from && { place: from }), ...(box && { boxes: [box] }) };
    const body = { profile: profile.name, instruction, ...read, ...(model && { model }) };
    start.mutate({ body }, { onSuccess: ({ taskId }) => navigate(pathTo("boxes", {}, { task: taskId })) });
  };
  return (
    <section aria-label={text.newTask} className="rounded-md border border-line bg-raised p-4">
      <h2 className="text-base font-semibold">{text.newTask}</h2>
      <p className="text-muted">{text.newTaskLead}</p>
      <Form className="mt-3 flex flex-col gap-3" onSubmit={give}>
        <TextField
          label={text.instruction}
          rows={3}
          value={instruction}
          onChange={setInstruction}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return;
            event.preventDefault();
            give();
          }}
        />
        <div className="grid grid-cols-3 items-start gap-3 max-md:grid-cols-1">
          <Select
            label={text.profile}
            options={profiles.map(({ name, model: note }) => ({ id: name, label: name, note }))}
            value={profile?.name}
            onChange={setChosen}
          />
          <ContextField />
          <ModelBox
            isStacked
            label={text.model}
            value={model}
            onChange={setModel}
            byDefault={profile?.model ?? text.ownModel}
          />
        </div>
        <div>
          <Button type="submit" look="primary" isDisabled={instruction.trim() === "" || start.isPending}>
            {text.give}
          </Button>
        </div>
        {start.error && <ErrorNotice error={start.error} />}
      </Form>
    </section>
  );
}

/** What the task reads first; it stands in the address, so that other pages can lead here. */
function ContextField(): ReactElement {
  const text = useText(handoverText);
  const { query, setQuery } = useQueryState();
  const context = contextOf(query);
  const choose = (id: string): void => {
    const [kind, ...rest] = id.split(" ");
    const named = rest.join(" ");
    setQuery({ from: kind === "place" ? named : undefined, box: kind === "box" ? named : undefined });
  };
  return (
    <Select
      label={text.context}
      description={query["from"] === undefined ? undefined : text.returnsThere}
      options={useContexts(context)}
      value={context}
      onChange={choose}
    />
  );
}
