// Loaded into a daemon before everything else (`node --expose-gc --import`): at SIGUSR2 it says how much of the heap is in use
// after a collection, and how long it has had a processor, as one line of JSON on the standard error.
process.on("SIGUSR2", () => {
  for (let time = 0; time < 4; time += 1) globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  process.stderr.write(`${JSON.stringify({ heapUsed, rss, processorMs: (user + system) / 1000 })}\n`);
});
