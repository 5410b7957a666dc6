// Loaded into a daemon before everything else (`node --expose-gc --import`): at SIGUSR2 it says how much of the heap is in use
// after a collection, and how long it has had a processor, as one line of JSON on the standard error.
let collecting = 0;

process.on("SIGUSR2", () => {
  const before = processorMs();
  // All that can be let go of. Code that is not used any more goes after it was found so several times: it would look like growth.
  for (let time = 0; time < 8; time += 1) globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
  const { heapUsed, rss } = process.memoryUsage();
  collecting += processorMs() - before;
  process.stderr.write(`${JSON.stringify({ heapUsed, rss, processorMs: processorMs() - collecting })}\n`);
});

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
