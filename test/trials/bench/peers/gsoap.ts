import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filledOnce } from './install.ts';

const sources = fileURLToPath(new URL('gsoap/', import.meta.url));
const FILES = ['echo.h', 'server.c'] as const;

/** What compiles the server. */
const COMMANDS = [
  ['soapcpp2', '-c', '-S', '-x', 'echo.h'],
  ['cc', '-O2', '-w', '-o', 'server', 'server.c', 'soapC.c', 'soapServer.c', '-lgsoap', '-lpthread'],
] as const;

/**
 * The server of gSOAP, compiled on the first run.
 * @returns its path, or why it can't be compiled on this machine
 */
export function compileGsoap(): { readonly program: string } | { readonly why: string } {
  const { status, stderr } = spawnSync('soapcpp2', ['-V'], { encoding: 'utf8' });
  if (status !== 0) return { why: 'soapcpp2 is not installed (Debian packages gsoap, libgsoap-dev and g++)' };
  const content = [stderr, COMMANDS.join('\n'), ...FILES.map((name) => readFileSync(join(sources, name), 'utf8'))];
  try {
    const folder = filledOnce('gsoap', content.join('\n'), (cwd) => {
      for (const name of FILES) copyFileSync(join(sources, name), join(cwd, name));
      for (const [program, ...args] of COMMANDS) run(cwd, program, args);
    });
    return { program: join(folder, 'server') };
  } catch (error) {
    return { why: (error as Error).message };
  }
}

/** @throws Error with the end of what the program printed */
function run(cwd: string, program: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`${program} failed: ${error?.message ?? stderr.trim().split('\n').slice(-3).join(' ')}`);
}
