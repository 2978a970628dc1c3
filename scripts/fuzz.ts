// Tries what nobody would send or write, for a time: see --help.
import { readOptions, UsageError } from './fuzz/options.ts';
import { mebibytes, runFuzz } from './fuzz/run.ts';

const began = performance.now();

try {
  const options = readOptions(process.argv.slice(2));
  if (options !== undefined) {
    say(`seed ${options.seed}: ${options.kinds.join(', ')}, ${options.seconds} s`);
    const { tried, findings, heap, resident } = await runFuzz(options, say);
    const all = [...tried.values()].reduce((sum, count) => sum + count, 0);
    say(`${all} cases: ${[...tried].map(([kind, count]) => `${kind} ${count}`).join(', ')}`);
    say(`heap ${mebibytes(heap[0])} MiB before, ${mebibytes(heap[1])} MiB after; process ${mebibytes(resident)} MiB`);
    for (const finding of findings) process.stdout.write(`\n${finding}\n`);
    process.stdout.write(
      `seed ${options.seed}: ${findings.length === 0 ? 'nothing found' : `${findings.length} FOUND`}\n`,
    );
    process.exitCode = findings.length === 0 ? 0 : 1;
  }
} catch (error) {
  const text = error instanceof UsageError ? error.message : ((error as Error).stack ?? error);
  process.stderr.write(`${text}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}

function say(line: string): void {
  process.stdout.write(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${line}\n`);
}
