// Tries unforeseen input for some time: see --help.
import { readOptions } from './fuzz/options.ts';
import { mebibytes, runFuzz } from './fuzz/run.ts';
import { runScript } from './support/command-line.ts';

await runScript(readOptions, async (options, say) => {
  say(`seed ${options.seed}: ${options.kinds.join(', ')}, ${options.seconds} s`);
  const { tried, findings, heap, resident } = await runFuzz(options, say);
  const all = [...tried.values()].reduce((sum, count) => sum + count, 0);
  say(`${all} cases: ${[...tried].map(([kind, count]) => `${kind} ${count}`).join(', ')}`);
  say(`heap ${mebibytes(heap[0])} MiB before, ${mebibytes(heap[1])} MiB after; process ${mebibytes(resident)} MiB`);
  for (const finding of findings) process.stdout.write(`\n${finding}\n`);
  process.stdout.write(
    `seed ${options.seed}: ${findings.length === 0 ? 'nothing found' : `${findings.length} FOUND`}\n`,
  );
  return findings.length === 0;
});
