import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What a tool makes of a contract: the operations that it finds, if it lists them, or why it refuses it. */
export interface Reading {
  readonly operations?: readonly string[];
  readonly error?: string;
}

/** The tools of other makers, by the kind of contract that they read. */
export const TOOLS = {
  php: { form: 'wsdl' },
  zeep: { form: 'wsdl' },
  wsdl2h: { form: 'wsdl' },
  wsdl2java: { form: 'wsdl' },
  wsimport: { form: 'wsdl' },
  wadl2java: { form: 'wadl' },
} as const;
export type Tool = keyof typeof TOOLS;

/** Reads contracts with a tool: files in any number, in as few processes as it needs. @param folder for what it writes */
export function readContracts(
  tool: Tool,
  files: readonly string[],
  folder: string,
): Promise<ReadonlyMap<string, Reading>> {
  if (tool === 'php') return byLines('php', ['-d', 'memory_limit=1G', script('read-wsdl.php')], files);
  if (tool === 'zeep') return byLines('/usr/bin/python3', [script('read-wsdl.py')], files);
  return tool === 'wsdl2h' ? withGsoap(files, folder) : withJava(tool, files, folder);
}

function script(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** A program that answers each line with a line of JSON. */
async function byLines(
  program: string,
  args: readonly string[],
  files: readonly string[],
): Promise<Map<string, Reading>> {
  const { code, stdout } = await run(program, args, `${files.join('\n')}\n`);
  const lines = stdout.split('\n').filter((line) => line !== '');
  if (code !== 0 || lines.length !== files.length)
    throw new Error(`${program} ended with ${code} at ${files[lines.length]}`);
  return new Map(lines.map((line) => JSON.parse(line)).map(({ file, ...reading }) => [file, reading]));
}

/** Seconds for one file. */
const LONGEST = '60';

async function withGsoap(files: readonly string[], folder: string): Promise<Map<string, Reading>> {
  const readings = new Map<string, Reading>();
  for (const file of files) {
    const args = [LONGEST, 'wsdl2h', '-x', '-o', join(folder, 'out.h'), file];
    const { code, stderr } = await run('timeout', args, '');
    readings.set(file, code === 0 ? {} : { error: stderr.trim().slice(-400) });
  }
  return readings;
}

/** Writes classes and compiles them, all in one JVM. */
async function withJava(
  tool: 'wsdl2java' | 'wsimport' | 'wadl2java',
  files: readonly string[],
  folder: string,
): Promise<Map<string, Reading>> {
  // It needs the built package, as all tests with other makers' programs do.
  const { generate } = await import('../../../interop/java/generators.ts');
  const jobs = files.map((file, index) => {
    const args = tool === 'wsimport' ? ['-extension', file] : [file];
    return { folder: join(folder, `${tool}-${index}`), tool, args };
  });
  const logs = await generate(tool === 'wsimport' ? 'Metro' : 'CXF', jobs);
  return new Map(
    files.map((file, index) => {
      const log = logs.get(jobs[index]?.folder ?? '') ?? '';
      return [file, log === '' ? {} : { error: log.slice(0, 600) }];
    }),
  );
}

/** Runs a program to its end, behind everything else that the machine does. */
function run(
  program: string,
  args: readonly string[],
  input: string,
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const child = spawn('nice', ['-n', '10', program, ...args]);
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  child.stdin.end(input);
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...texts })));
}
