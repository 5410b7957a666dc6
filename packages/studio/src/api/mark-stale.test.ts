import { InfiniteQueryObserver, QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, expect, test } from "vitest";
import { markStale } from "./mark-stale.ts";

const client = new QueryClient({ defaultOptions: { queries: { retry: false, networkMode: "always" } } });

afterEach(() => {
  client.clear();
});

interface Asked {
  readonly answers: PromiseWithResolvers<string>[];
  readonly shown: () => string | undefined;
  readonly stop: () => void;
}

/** A page that shows the answer of a route; the test answers. */
function show(route: string): Asked {
  const answers: PromiseWithResolvers<string>[] = [];
  const queryFn = (): Promise<string> => {
    const answer = Promise.withResolvers<string>();
    answers.push(answer);
    return answer.promise;
  };
  const observer = new QueryObserver(client, { queryKey: [route, {}], queryFn, staleTime: 30_000 });
  return { answers, shown: () => observer.getCurrentResult().data, stop: observer.subscribe(() => undefined) };
}

test("a first answer that is still on its way when something changes is asked for once more", async () => {
  const { answers, shown, stop } = show("presets.list");
  await expect.poll(() => answers.length).toBe(1);
  const marked = markStale(client);
  answers[0]?.resolve("before");
  await expect.poll(() => answers.length).toBe(2);
  answers[1]?.resolve("after");
  await marked;
  expect(shown()).toBe("after");
  stop();
});

test("a first question that fails is asked once more, too", async () => {
  const { answers, shown, stop } = show("presets.list");
  await expect.poll(() => answers.length).toBe(1);
  const marked = markStale(client);
  answers[0]?.reject(new Error("away"));
  await expect.poll(() => answers.length).toBe(2);
  answers[1]?.resolve("after");
  await marked;
  expect(shown()).toBe("after");
  stop();
});

test("an answer that is there is asked for again at once, and only those of the routes that are meant", async () => {
  const presets = show("presets.list");
  const chats = show("chats.list");
  await expect.poll(() => [presets.answers.length, chats.answers.length]).toEqual([1, 1]);
  presets.answers[0]?.resolve("before");
  chats.answers[0]?.resolve("same");
  await expect.poll(() => [presets.shown(), chats.shown()]).toEqual(["before", "same"]);
  const marked = markStale(client, (route) => route.startsWith("presets."));
  presets.answers[1]?.resolve("after");
  await marked;
  expect([presets.shown(), presets.answers.length, chats.answers.length]).toEqual(["after", 2, 1]);
  presets.stop();
  chats.stop();
});

test("however many changes come while an answer is on its way, it is asked for once more", async () => {
  const { answers, shown, stop } = show("presets.list");
  await expect.poll(() => answers.length).toBe(1);
  const marked = Promise.all([markStale(client), markStale(client), markStale(client)]);
  answers[0]?.resolve("before");
  await expect.poll(() => answers.length).toBe(2);
  answers[1]?.resolve("after");
  await marked;
  expect([shown(), answers.length]).toEqual(["after", 2]);
  stop();
});

test("an earlier page that is on its way comes, and then everything is read again", async () => {
  const asked: { readonly page: string; readonly answer: PromiseWithResolvers<string> }[] = [];
  const observer = new InfiniteQueryObserver(client, {
    queryKey: ["chats.active", {}],
    queryFn: ({ pageParam }) => {
      const answer = Promise.withResolvers<string>();
      asked.push({ page: pageParam, answer });
      return answer.promise;
    },
    initialPageParam: "newest",
    getNextPageParam: (): string => "earlier",
  });
  const stop = observer.subscribe(() => undefined);
  const shown = (): readonly string[] => observer.getCurrentResult().data?.pages ?? [];
  asked[0]?.answer.resolve("old end");
  await expect.poll(shown).toEqual(["old end"]);
  const fetched = observer.fetchNextPage();
  await expect.poll(() => asked.length).toBe(2);
  const marked = markStale(client);
  asked[1]?.answer.resolve("beginning");
  await fetched;
  await expect.poll(() => asked.length).toBe(3);
  asked[2]?.answer.resolve("new end");
  await expect.poll(() => asked.length).toBe(4);
  asked[3]?.answer.resolve("beginning");
  await marked;
  expect(shown()).toEqual(["new end", "beginning"]);
  expect(asked.map(({ page }) => page)).toEqual(["newest", "earlier", "newest", "earlier"]);
  stop();
});
