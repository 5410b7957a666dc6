/** One server-sent event: its name (`message` when it has none) and its data. */
export interface ServerEvent {
  readonly name: string;
  readonly data: string;
}

/** Reads server-sent events from a response. A stream that is cut off gives what was whole. */
export async function* readEvents(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<ServerEvent, void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let name = "message";
  let data: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      // A \r at the very end may be the first half of \r\n: it waits for what comes next.
      const lines = (rest + value).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line === "") {
          if (data.length > 0) yield { name, data: data.join("\n") };
          name = "message";
          data = [];
        } else if (line.startsWith("data:")) data.push(valueOf(line));
        else if (line.startsWith("event:")) name = valueOf(line);
      }
    }
  } finally {
    await reader.cancel();
  }
}

function valueOf(line: string): string {
  const value = line.slice(line.indexOf(":") + 1);
  return value.startsWith(" ") ? value.slice(1) : value;
}
