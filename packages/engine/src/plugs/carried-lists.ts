interface Carried {
  readonly list: readonly object[];
  readonly sent: readonly object[];
}

/** Whole lists, by the last message of what was sent of them: a framework may carry the sent one forward. */
export function carriedLists(): {
  read(messages: readonly object[]): readonly object[];
  remember(list: readonly object[], sent: readonly object[]): void;
} {
  const known = new WeakMap<object, Carried>();
  return {
    read(messages) {
      for (let at = messages.length - 1; at >= 0; at -= 1) {
        const carried = known.get(messages[at] as object);
        if (carried?.sent.length === at + 1 && carried.sent.every((message, index) => message === messages[index]))
          return [...carried.list, ...messages.slice(at + 1)];
      }
      return messages;
    },
    remember(list, sent) {
      const last = sent.at(-1);
      if (last) known.set(last, { list, sent: [...sent] });
    },
  };
}
