// `npm run bench`: prints every claim as a ratio from this run. Exits with 1 when one is not kept.
import type { Claim } from "./claim.ts";
import { composeClaims } from "./compose.ts";

const suites: Record<string, () => Claim[] | Promise<Claim[]>> = { compose: composeClaims };
const wanted = process.argv.slice(2);

for (const [name, run] of Object.entries(suites)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const claims = await run();
  console.table(
    claims.map(({ claim, against, peer, own, ratio, limit }) => ({
      claim,
      against,
      peer,
      Galley: own,
      ratio: Number(ratio.toFixed(2)),
      promised: `≤ ${limit}`,
    })),
  );
  if (claims.some(({ ratio, limit }) => ratio > limit)) process.exitCode = 1;
}
