import type { RouteReply } from "galley/api";
import type { ReactElement } from "react";
import { useAction } from "../../api/use-api.ts";
import { providersText } from "../../i18n/providers.ts";
import { useText } from "../../i18n/use-text.ts";
import { CodeDialog } from "../../kit/code-dialog.tsx";
import { Select, TextField } from "../../kit/fields.tsx";
import { type FormState, useForm } from "../../kit/form.tsx";

export type Provider = RouteReply<"providers.list">["providers"][number];

interface ProviderDialogProps {
  /** The one that is changed; a new one without it. */
  readonly provider?: Provider | undefined;
  readonly taken: readonly Provider[];
  readonly onClose: () => void;
  readonly onSaved: (name: string) => void;
}

type Kind = Provider["kind"];

interface Choice {
  readonly label: string;
  readonly kind: Kind;
  readonly address: string;
}

/** What people set up, with where it listens. Those with an address of their own have it in the daemon too. */
const choices: Readonly<Record<string, Choice>> = {
  openai: { label: "OpenAI", kind: "openai", address: "https://api.openai.com/v1" },
  anthropic: { label: "Anthropic", kind: "anthropic", address: "https://api.anthropic.com/v1" },
  google: { label: "Google", kind: "google", address: "https://generativelanguage.googleapis.com/v1beta" },
  openrouter: { label: "OpenRouter", kind: "openai-compatible", address: "https://openrouter.ai/api/v1" },
  ollama: { label: "Ollama", kind: "openai-compatible", address: "http://127.0.0.1:11434/v1" },
  lmstudio: { label: "LM Studio", kind: "openai-compatible", address: "http://127.0.0.1:1234/v1" },
  vllm: { label: "vLLM", kind: "openai-compatible", address: "http://127.0.0.1:8000/v1" },
};
const other = "(other)";

/** What people call it: a name that was given is left as it is. */
export function providerLabel(name: string): string {
  return choices[name]?.label ?? name;
}

interface Form {
  readonly choice: string;
  readonly name: string;
  readonly address: string;
  readonly key: string;
}

/** Adds a provider of models, or changes one. The key goes to the daemon once and never comes back. */
export function ProviderDialog({ provider, taken, onClose, onSaved }: ProviderDialogProps): ReactElement {
  const text = useText(providersText);
  const save = useAction("providers.save");
  const state = useForm<Form>({
    choice: !provider ? "openai" : provider.name in choices ? provider.name : other,
    name: provider?.name ?? "",
    address: provider?.baseUrl ?? choices["openai"]?.address ?? "",
    key: "",
  });
  const { form } = state;
  const known = choices[form.choice];
  const name = known ? form.choice : form.name.trim();
  const [address, key] = [form.address.trim(), form.key.trim()];
  return (
    <CodeDialog
      title={provider ? text.changeTitle(providerLabel(provider.name)) : text.add}
      confirm={text.save}
      isDisabled={name === "" || address === ""}
      onConfirm={async (code) => {
        const typed = { baseUrl: address, ...(key && { apiKey: key }), ...code };
        await save.mutateAsync({ params: { name }, body: { type: known?.kind ?? "openai-compatible", ...typed } });
        onSaved(name);
      }}
      onClose={onClose}
    >
      {!provider && <ServiceFields state={state} />}
      <AddressFields
        isChange={provider !== undefined}
        state={state}
        isKeyKept={taken.some((one) => one.name === name && one.from === "added" && one.hasKey)}
      />
    </CodeDialog>
  );
}

interface FieldsProps {
  readonly state: FormState<Form>;
}

function ServiceFields({ state }: FieldsProps): ReactElement {
  const text = useText(providersText);
  const { form, change, field } = state;
  const services = Object.entries(choices).map(([id, { label }]) => ({ id, label }));
  return (
    <>
      <Select
        label={text.service}
        autoFocus
        options={[...services, { id: other, label: text.other }]}
        value={form.choice}
        onChange={(choice) => change({ choice, address: choices[choice]?.address ?? "" })}
      />
      {form.choice === other && <TextField label={text.name} description={text.nameNote} {...field("name")} />}
    </>
  );
}

interface AddressFieldsProps extends FieldsProps {
  /** Then the key is what one has come for. */
  readonly isChange: boolean;
  readonly isKeyKept: boolean;
}

function AddressFields({ isChange, state, isKeyKept }: AddressFieldsProps): ReactElement {
  const text = useText(providersText);
  const { form, field } = state;
  return (
    <>
      <TextField
        label={text.address}
        mono
        {...field("address")}
        {...(form.choice === other && { description: text.addressNote, placeholder: "https://llm.example/v1" })}
      />
      <TextField
        label={text.key}
        type="password"
        autoFocus={isChange}
        autoComplete="off"
        description={isKeyKept ? text.keyKept : text.keyNote}
        {...field("key")}
      />
    </>
  );
}
