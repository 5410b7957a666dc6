import { ArrowLeftRight, Columns2 } from "lucide-react";
import { useQuery } from "@tanstack/react-query";
import { type TokenAccount, tokenAccount, tokenizerForModel } from "@galley/engine";
import { type ReactElement, useRef, useState } from "react";
import type { RouteReply } from "galley/api";
import { useApi } from "../../api/use-api.ts";
import { useSessionNames } from "../../api/session-names.ts";
import { madeOnce } from "../../document/made-once.ts";
import { Link, useQueryState } from "../../frame/location.tsx";
import { Page } from "../../frame/page.tsx";
import { pathTo } from "../../frame/routes.ts";
import { compareText } from "../../i18n/compare.ts";
import { useText } from "../../i18n/use-text.ts";
import { IconButton } from "../../kit/button.tsx";
import { EmptyState, ErrorNotice, Spinner } from "../../kit/notices.tsx";
import type { ComparedBuild } from "./build-file.ts";
import { ComparisonView } from "./comparison-view.tsx";
import { type BuildFile, SidePicker } from "./side-picker.tsx";
import { formatCall, parseCall } from "./call-reference.ts";

type SideName = "left" | "right";

/** Two builds side by side; which calls they are is part of the URL. */
export function ComparePage(): ReactElement {
  const text = useText(compareText);
  const { query, setQuery } = useQueryState();
  const [files, setFiles] = useState<Readonly<Partial<Record<SideName, BuildFile>>>>({});
  const scroll = useRef<HTMLDivElement>(null);
  const left = useSide(query["left"], files.left);
  const right = useSide(query["right"], files.right);
  const account = useAccount(right.build ?? left.build);
  const swap = (): void => {
    setQuery({ left: query["right"], right: query["left"] });
    setFiles({ ...(files.right && { left: files.right }), ...(files.left && { right: files.left }) });
  };
  const picker = (side: SideName): ReactElement => (
    <SidePicker
      label={text[side]}
      call={parseCall(query[side])}
      file={files[side]}
      build={(side === "left" ? left : right).build}
      onCall={(call) => setQuery({ [side]: formatCall(call) })}
      onFile={(file) => {
        const { [side]: _, ...rest } = files;
        setFiles(file ? { ...rest, [side]: file } : rest);
        setQuery({ [side]: undefined });
      }}
    />
  );
  const error = left.error ?? right.error ?? account.error;
  return (
    <Page layout="fill" title={text.title}>
      <div ref={scroll} className="min-h-0 flex-1 overflow-y-auto">
        <div>
          <div className="grid grid-cols-[1fr_auto_1fr] items-center gap-2 p-4 max-md:grid-cols-1">
            {picker("left")}
            <IconButton label={text.swap} onPress={swap} icon={ArrowLeftRight} />
            {picker("right")}
          </div>
          {error && (
            <div className="px-4">
              <ErrorNotice error={error} />
            </div>
          )}
          {left.build && right.build && account.data ? (
            <ComparisonView left={left.build} right={right.build} account={account.data} scroll={scroll} />
          ) : (
            !error && <Waiting isLoading={left.isLoading || right.isLoading || account.isLoading} />
          )}
        </div>
      </div>
    </Page>
  );
}

function Waiting({ isLoading }: { readonly isLoading: boolean }): ReactElement {
  const text = useText(compareText);
  if (isLoading) return <Spinner />;
  return (
    <EmptyState icon={Columns2} title={text.introTitle} actions={<LatestCalls />}>
      {text.introBody}
    </EmptyState>
  );
}

/** What is asked for most: what the newest call changed. */
function LatestCalls(): ReactElement | null {
  const text = useText(compareText);
  const nameOf = useSessionNames();
  const newest = useApi("sessions.list", {}).data?.sessions.find(({ calls }) => calls > 1);
  const id = newest?.id ?? "";
  const calls = useApi("sessions.get", { params: { id } }, { isEnabled: newest !== undefined }).data?.calls ?? [];
  const [left, right] = calls.slice(-2);
  if (!left || !right) return null;
  const side = ({ n }: { readonly n: number }): string => formatCall({ session: id, n });
  return <Link href={pathTo("compare", {}, { left: side(left), right: side(right) })}>{text.latest(nameOf(id))}</Link>;
}

interface Side {
  readonly build: ComparedBuild | undefined;
  readonly error: Error | null;
  readonly isLoading: boolean;
}

/** A side is the file that was chosen, or else the call that the URL names. */
function useSide(reference: string | undefined, file: BuildFile | undefined): Side {
  const call = parseCall(reference);
  const { data, error, isLoading } = useApi(
    "sessions.call",
    { params: { id: call?.session ?? "", n: call?.n ?? 1 } },
    { isEnabled: call !== undefined && file === undefined },
  );
  if (file) return { build: file.build, error: null, isLoading: false };
  return { build: call && data ? buildOf(data) : undefined, error: call ? error : null, isLoading };
}

/** One object for each answer, so that what is compared is not compared again at every render. */
const buildOf = madeOnce((call: RouteReply<"sessions.call">): ComparedBuild => {
  const { messages, tools, ledger, digest, model, recipe, stats } = call;
  const { tokenizer } = stats;
  return { messages, tools, ledger, digest, model, tokenizer, ...(recipe && { recipe: recipe.id }) };
});

/** Counts with the tokenizer that the build was counted with. */
function useAccount(build: ComparedBuild | undefined): {
  readonly data: TokenAccount | undefined;
  readonly error: Error | null;
  readonly isLoading: boolean;
} {
  const { model, tokenizer } = build ?? {};
  return useQuery({
    queryKey: ["tokenizer", model, tokenizer],
    queryFn: async () => tokenAccount(await tokenizerForModel(model, tokenizer === undefined ? {} : { id: tokenizer })),
    enabled: build !== undefined,
    staleTime: Infinity,
    // When it is asked again, the query would put a copy in its place, and the engine only takes what it has made itself.
    structuralSharing: false,
  });
}
