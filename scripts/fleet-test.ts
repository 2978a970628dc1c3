// Shows that nothing is lost and nothing done twice while gateways die and the database restarts: see --help.
import { coloursOf, renderTable } from '../src/cli/terminal.ts';
import { readOptions } from './fleet/options.ts';
import { type FleetResult, isSound, runFleet } from './fleet/run.ts';
import { runScript } from './support/command-line.ts';

/** Lines shown per kind of error; there may be hundreds. */
const SHOWN = 20;
const HEADING = ['ITEMS', 'ACCEPTED', 'ANSWER LOST', 'OF THEM CARRIED OUT', 'DONE', 'CANCELLED', 'WRONG'];

await runScript(readOptions, async (options, say) => {
  say(`seed ${options.seed}: ${options.gateways} gateways, ${options.seconds} s`);
  const result = await runFleet(options, say);
  print(result);
  process.stdout.write(`seed ${options.seed}: ${isSound(result) ? 'every item is accounted for' : 'NOT SOUND'}\n`);
  return isSound(result);
});

function print(result: FleetResult): void {
  const { accounts, mishaps, overlaps, amiss } = result;
  const rows = accounts.map(({ kind, accepted, unknown, happened, done, cancelled, wrong }) =>
    [kind, accepted, unknown, happened, done, cancelled, wrong.length].map(String),
  );
  const right = new Set([1, 2, 3, 4, 5, 6]);
  process.stdout.write(`\n${renderTable(HEADING, rows, { colours: coloursOf(process.stdout), right })}`);
  process.stdout.write(
    `${mishaps.kills} kills of gateways, ${mishaps.workers} of workers, ${mishaps.restarts} restarts of the database\n`,
  );
  for (const wrong of [...accounts.map((account) => account.wrong), overlaps, amiss]) {
    for (const line of wrong.slice(0, SHOWN)) process.stdout.write(`  ${line}\n`);
    if (wrong.length > SHOWN) process.stdout.write(`  and ${wrong.length - SHOWN} more of this kind\n`);
  }
  if (!isSound(result)) process.stdout.write(`The output of the gateways is in ${result.log}\n`);
}
