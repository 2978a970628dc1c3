// Keeps a gateway busy for minutes, and checks for leaks and lost replies: see --help.
import { readOptions } from './soak/options.ts';
import { runSoak, type SoakResult } from './soak/run.ts';
import { runScript, type Say } from './support/command-line.ts';

/** Lines about errors that are shown; there may be thousands. */
const SHOWN = 20;

await runScript(readOptions, async (options, say) => {
  say(`seed ${options.seed}: ${options.minutes} min`);
  const result = await runSoak(options, say);
  print(result, say);
  const isSound = result.amiss.length === 0;
  process.stdout.write(`seed ${options.seed}: ${isSound ? 'no leaks, no lost replies' : 'NOT SOUND'}\n`);
  return isSound;
});

function print({ answered, p99, late, before, after, amiss }: SoakResult, say: Say): void {
  const mebibytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1);
  const all = [...answered.values()].reduce((sum, count) => sum + count, 0);
  say(`${all} answered: ${[...answered].map(([kind, count]) => `${kind} ${count}`).join(', ')}`);
  const shown = (times: readonly number[]): string => times.map((ms) => ms.toFixed(1)).join(', ');
  say(`99th percentile of a lookup by quarters of the time: ${shown(p99)} ms; lateness of timers: ${shown(late)} ms`);
  say(
    `heap ${mebibytes(before.heap)} MiB before, ${mebibytes(after.heap)} MiB after; process ${mebibytes(before.resident)} and ${mebibytes(after.resident)} MiB`,
  );
  say(`handles before ${JSON.stringify(before.handles)}, after ${JSON.stringify(after.handles)}`);
  for (const line of amiss.slice(0, SHOWN)) process.stdout.write(`  ${line}\n`);
  if (amiss.length > SHOWN) process.stdout.write(`  and ${amiss.length - SHOWN} more\n`);
}
