import { Plus } from "lucide-react";
import { type ReactElement, useState } from "react";
import { useAction } from "../../api/use-api.ts";
import { providersText } from "../../i18n/providers.ts";
import { isUnchecked, lacksKey, usabilityText } from "../../i18n/usability.ts";
import { useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { AskDialog } from "../../kit/dialog.tsx";
import { ErrorNotice, useLoaded } from "../../kit/notices.tsx";
import { Table, type TableColumn } from "../../kit/table.tsx";
import { Tag } from "../../kit/tag.tsx";
import { type Provider, ProviderDialog, providerLabel } from "./provider-dialog.tsx";

type Open =
  | { readonly what: "edit"; readonly provider?: Provider }
  | { readonly what: "remove"; readonly provider: Provider };

/** What servers answered that were tested on this page, by the provider's name. */
type Checked = Readonly<Record<string, { readonly reached: boolean; readonly why: string } | undefined>>;

/** Who serves models: each can be tested, those that were added here can be changed and removed, and others added. */
export function ProviderSettings(): ReactElement {
  const text = useText(providersText);
  const { data, pending } = useLoaded("providers.list", {});
  const check = useAction("providers.check");
  const [checked, setChecked] = useState<Checked>({});
  const remove = useAction("providers.delete");
  const [open, setOpen] = useState<Open>();
  const test = (name: string): void =>
    check.mutate(
      { params: { name } },
      { onSuccess: (answer) => setChecked((before) => ({ ...before, [name]: answer })) },
    );
  const busy = check.isPending ? check.variables.params.name : undefined;
  const columns = useColumns({ onTest: test, onOpen: setOpen, busy }, checked);
  if (pending) return pending;
  const close = (): void => setOpen(undefined);
  return (
    <div className="flex flex-col gap-3">
      <div>
        <Button icon={Plus} onPress={() => setOpen({ what: "edit" })}>
          {text.add}
        </Button>
      </div>
      <Table label={text.providers} rows={data.providers} rowKey={({ name }) => name} columns={columns} />
      {check.error && <ErrorNotice error={check.error} />}
      {open?.what === "edit" && (
        <ProviderDialog provider={open.provider} taken={data.providers} onClose={close} onSaved={test} />
      )}
      {open?.what === "remove" && (
        <AskDialog
          title={text.removeTitle(providerLabel(open.provider.name))}
          confirm={text.remove}
          isDangerous
          onConfirm={() => remove.mutateAsync({ params: { name: open.provider.name } })}
          onClose={close}
        >
          <p>{text.removeLead}</p>
        </AskDialog>
      )}
    </div>
  );
}

interface ActionsProps {
  readonly onTest: (name: string) => void;
  readonly onOpen: (open: Open) => void;
  /** The one that is being asked. */
  readonly busy: string | undefined;
}

function useColumns(actions: ActionsProps, checked: Checked): readonly TableColumn<Provider>[] {
  const text = useText(providersText);
  return [
    {
      label: text.provider,
      cell: ({ name, baseUrl, from, hasKey }) => (
        <>
          <span className="font-medium">{providerLabel(name)}</span>{" "}
          <span className="inline-block text-xs text-muted">
            {text.origins[from]}
            {hasKey && ` · ${text.hasKey}`}
          </span>
          <span className="block font-mono text-xs break-all text-muted max-md:hidden">{baseUrl}</span>
        </>
      ),
    },
    { label: text.state, cell: (provider) => <ProviderState provider={provider} checked={checked[provider.name]} /> },
    { label: text.actions, cell: (provider) => <Actions provider={provider} {...actions} /> },
  ];
}

const tones = {
  works: "good",
  ready: "good",
  untested: "plain",
  noKey: "warn",
  unusable: "warn",
  failed: "bad",
} as const;

interface ProviderStateProps {
  readonly provider: Provider;
  /** What it answered, if it was tested on this page. */
  readonly checked: Checked[string];
}

/** Whether it can be used, as far as anybody knows: a server that was never asked is not called usable. */
function ProviderState({ provider: { usable, why }, checked }: ProviderStateProps): ReactElement {
  const text = useText(providersText);
  const told = useText(usabilityText);
  const state = checked
    ? checked.reached
      ? "works"
      : "failed"
    : usable
      ? isUnchecked(why)
        ? "untested"
        : "ready"
      : lacksKey(why)
        ? "noKey"
        : "unusable";
  return (
    <>
      <Tag tone={tones[state]}>{text.states[state]}</Tag>{" "}
      {checked ? (
        <span role="status">{told.why(checked.why)}</span>
      ) : (
        <span className="text-muted">{told.whyHere(why)}</span>
      )}
    </>
  );
}

function Actions({ provider, onTest, onOpen, busy }: ActionsProps & { readonly provider: Provider }): ReactElement {
  const text = useText(providersText);
  const { name, from, usable } = provider;
  const label = providerLabel(name);
  return (
    <span className="flex gap-1 max-md:flex-wrap">
      {usable && (
        <Button size="small" aria-label={text.testOne(label)} isDisabled={busy === name} onPress={() => onTest(name)}>
          {text.test}
        </Button>
      )}
      {from !== "galley.config" && (
        <Button size="small" aria-label={text.changeOne(label)} onPress={() => onOpen({ what: "edit", provider })}>
          {from === "added" ? text.change : text.setUp}
        </Button>
      )}
      {from === "added" && (
        <Button size="small" aria-label={text.removeOne(label)} onPress={() => onOpen({ what: "remove", provider })}>
          {text.remove}
        </Button>
      )}
    </span>
  );
}
