import type { RouteReply } from "galley/api";
import type { ReactElement } from "react";
import { useAction, useApi } from "../../api/use-api.ts";
import { settingsText } from "../../i18n/settings.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { ErrorNotice } from "../../kit/error-notice.tsx";
import { Spinner } from "../../kit/spinner.tsx";
import { Table, type TableColumn } from "../../kit/table.tsx";
import { Tag } from "../../kit/tag.tsx";

type Browser = RouteReply<"browsers.list">["browsers"][number];

/** The browsers that are signed in, each with a button that signs it out. */
export function Browsers(): ReactElement {
  const text = useText(settingsText);
  const { data, error, refetch } = useApi("browsers.list", {});
  const signOut = useAction("browsers.signOut");
  const signOutOthers = useAction("browsers.signOutOthers");
  const columns = useColumns((id) => signOut.mutate({ params: { id } }));
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Spinner />;
  const refused = signOut.error ?? signOutOthers.error;
  return (
    <div className="flex flex-col gap-2">
      {data.problem !== undefined && <p className="text-warn">{text.notKept(data.problem)}</p>}
      {refused && <ErrorNotice error={refused} />}
      <Table label={text.browsers} rows={data.browsers} rowKey={({ id }) => id} columns={columns} />
      {data.browsers.some(({ isCurrent }) => !isCurrent) && (
        <div>
          <Button size="small" onPress={() => signOutOthers.mutate({})}>
            {text.signOutOthers}
          </Button>
        </div>
      )}
    </div>
  );
}

function useColumns(onSignOut: (id: string) => void): readonly TableColumn<Browser>[] {
  const text = useText(settingsText);
  const formats = useFormats();
  const nameOf = ({ name, system }: Browser): string => {
    const shown = name || text.unknownBrowser;
    return system === undefined ? shown : text.browserOn(shown, system);
  };
  return [
    {
      id: "browser",
      label: text.browser,
      cell: (browser) => (
        <>
          {nameOf(browser)} {browser.isCurrent && <Tag tone="good">{text.thisBrowser}</Tag>}
        </>
      ),
    },
    { id: "signedInAt", label: text.signedInAt, isExtra: true, cell: ({ signedInAt }) => formats.dateTime(signedInAt) },
    { id: "seenAt", label: text.seenAt, cell: ({ seenAt }) => formats.dateTime(seenAt) },
    { id: "endsAt", label: text.endsAt, isExtra: true, cell: ({ endsAt }) => formats.dateTime(endsAt) },
    {
      id: "signOut",
      label: text.signOut,
      cell: (browser) => (
        <Button size="small" aria-label={text.signOutOne(nameOf(browser))} onPress={() => onSignOut(browser.id)}>
          {text.signOut}
        </Button>
      ),
    },
  ];
}
