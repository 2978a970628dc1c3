import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Figure } from '../figure.ts';
import { type Bench, ended, type Row } from '../harness.ts';
import { peakMemory } from '../memory.ts';
import { command, libraryProject } from '../upload-project.ts';

const MIB = 1_048_576;
/** Resident memory of the command and its child processes. */
const AT_MOST = 140;

export const upload: Row = {
  name: 'upload',
  about: "a file of 1 GiB sent; limit: undici's pool; also the memory of the three-step upload of 2 GiB",
  async measure(bench) {
    const small = bench.smoke;
    const file = fileOf(bench, small ? MIB : 1024 * MIB);
    const folder = join(bench.folder, 'spool');
    const target = await bench.serve('upload-target.ts');
    const url = `http://127.0.0.1:${target.port}`;
    const job = `file sent, ${small ? '1 MiB' : '1 GiB'}`;
    const pair = await bench.compare(
      job,
      () => bench.figure('upload-limit.ts', [url, file]),
      () => bench.figure('upload-ours.ts', [url, file, folder]),
    );
    await target.stop();
    const sent: Figure = {
      job,
      beside: "undici's pool",
      unit: 'MiB/s',
      ...pair,
      target: { kind: 'at-least', ratio: 0.9 },
    };
    return [sent, ...(await memory(bench, small ? [1, 2] : [64, 2048]))];
  },
};

/** Memory of the command for the whole flow over TLS: for a large file, and compared with a small one. */
async function memory(bench: Bench, [little, large]: readonly [number, number] | number[]): Promise<Figure[]> {
  const project = await libraryProject(bench.folder);
  const peaks: { little: number[]; large: number[] } = { little: [], large: [] };
  try {
    for (let round = 0; round < bench.rounds; round++) {
      for (const [name, mib] of [
        ['little', little],
        ['large', large],
      ] as const) {
        bench.say(`upload, memory for ${mib} MiB: round ${round + 1} of ${bench.rounds}`);
        const file = fileOf(bench, (mib ?? 0) * MIB);
        const child = bench.spawn([command, 'invoke', 'N_DOCLIB.upload', `File=@${file}`, ...project.values], project);
        child.stdout?.resume();
        peaks[name].push((await peakMemory(child.pid as number, () => ended(child))) / MIB);
        if (child.exitCode !== 0) throw new Error(`the upload ended with ${child.exitCode}`);
      }
    }
  } finally {
    await project.close();
  }
  const none = peaks.large.map(() => 0);
  return [
    {
      job: `upload of ${large} MiB: resident memory`,
      beside: 'nothing',
      unit: 'MB',
      limit: none,
      ours: peaks.large,
      target: { kind: 'within', more: AT_MOST },
    },
    {
      job: `upload of ${large} MiB: resident memory`,
      beside: `of ${little} MiB`,
      unit: 'MB',
      limit: peaks.little,
      ours: peaks.large,
      target: { kind: 'within', more: 10 },
    },
  ];
}

/** A sparse file of that length. */
function fileOf(bench: Bench, bytes: number): string {
  const path = join(bench.folder, `file-${bytes}.bin`);
  writeFileSync(path, '');
  truncateSync(path, bytes);
  return path;
}
