/**
 * Runs command lines of the built bin one after the other: `node host-process.ts <bin>`, with an IPC channel over which each
 * comes as a `HostRequest`. Both outputs get its mark, and the exit code, when it has ended.
 */
import { pathToFileURL } from 'node:url';

/** One command line, with what it finds around it. */
export interface HostRequest {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Unlike anything that a command prints. */
  readonly mark: string;
}

const bin = process.argv[2] as string;
let runs = 0;

// Commands may leave open what would keep this process.
process.once('disconnect', () => process.exit());

process.on('message', async ({ args, cwd, env, mark }: HostRequest) => {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  Object.assign(process.env, env);
  process.argv = [process.execPath, bin, ...args];
  // The bin's one module is run again, what it imports is there.
  await import(`${pathToFileURL(bin).href}?run=${++runs}`);
  for (const stream of [process.stdout, process.stderr]) {
    stream.write(`${mark}${process.exitCode}\n`);
    // Each run sets its own.
    stream.removeAllListeners('error');
  }
});
