// A process that records builds in one session, and works off abandoned runs: node … OPTIONS NAME BUILDS
// Says each build's number once it is recorded, and each run that it has taken over and finished.
import { buildOf, said } from "../src/store/testing/build-samples.ts";
import { type StoreOptions, openStore } from "../src/store/open-store.ts";

const [options = "{}", name = "", builds = "0"] = process.argv.slice(2);
const store = await openStore(JSON.parse(options) as StoreOptions);
const session = { projectId: "p", sessionId: "s" };
const common = Array.from({ length: 20 }, (_, index) => said(`common ${index}`));
for (let index = 0; index < Number(builds); index += 1) {
  const key = `${name}/${index}`;
  const { n } = await store.builds.record(session, buildOf([...common, said(key)], { key }));
  process.stdout.write(`build ${n} ${key}\n`);
}
for (;;) {
  const [run] = await store.runs.claimAbandoned("p", name, { now: Date.now(), leaseMs: 60_000, limit: 1 });
  if (!run) break;
  await store.runs.save(run, { steps: [...run.steps, said(name)] });
  const reply = { role: "assistant", content: name } as const;
  await store.runs.finish(run, { status: "finished", reply, result: run.attempt }, Date.now());
  process.stdout.write(`run ${run.id}\n`);
}
await store.close();
