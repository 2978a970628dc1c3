// Shows that nothing is lost and nothing done twice while gateways die, hang and change: see --help.
import { coloursOf, renderTable } from '../../src/cli/terminal.ts';
import { readOptions } from './fleet/options.ts';
import { type FleetResult, isSound, runFleet } from './fleet/run.ts';
import { runScript } from './support/command-line.ts';

/** Lines shown per kind of error; there may be hundreds. */
const SHOWN = 20;
const HEADING = ['ITEMS', 'ACCEPTED', 'ANSWER LOST', 'OF THEM CARRIED OUT', 'DONE', 'CANCELLED', 'DIED', 'WRONG'];

await runScript(readOptions, async (options, say) => {
  say(`seed ${options.seed}: ${options.gateways} gateways, ${options.seconds} s`);
  const result = await runFleet(options, say);
  print(result);
  process.stdout.write(`seed ${options.seed}: ${isSound(result) ? 'every item is accounted for' : 'NOT SOUND'}\n`);
  return isSound(result);
});

function print(result: FleetResult): void {
  const { accounts, mishaps, calls, early, overlaps, amiss, answers } = result;
  const rows = accounts.map(({ kind, accepted, unknown, happened, done, cancelled, died, wrong }) =>
    [kind, accepted, unknown, happened, done, cancelled, died, wrong.length].map(String),
  );
  const right = new Set([1, 2, 3, 4, 5, 6, 7]);
  process.stdout.write(`\n${renderTable(HEADING, rows, { colours: coloursOf(process.stdout), right })}`);
  process.stdout.write(`${[...mishaps.counts].map(([what, count]) => `${count} ${what}`).join(', ')}\n`);
  process.stdout.write(
    `${calls.all} calls, ${calls.quiet} of them while nothing failed: ${calls.lost.length} of these lost\n`,
  );
  process.stdout.write(`the receiver ${[...answers].map(([what, count]) => `${what} ${count} times`).join(', ')}\n`);
  process.stdout.write(`${early} requests refused by gateways whose definitions lacked what they needed\n`);
  for (const wrong of [...accounts.map((account) => account.wrong), overlaps, amiss, mishaps.wrong, calls.lost]) {
    for (const line of wrong.slice(0, SHOWN)) process.stdout.write(`  ${line}\n`);
    if (wrong.length > SHOWN) process.stdout.write(`  and ${wrong.length - SHOWN} more of this kind\n`);
  }
  if (!isSound(result)) process.stdout.write(`The output of the gateways is in ${result.log}\n`);
}
