import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';

/** A gateway that was asked to end keeps its port while it finishes what runs (`drain:`). */
export const IN_USE =
  'A gateway that is stopping leaves it when its requests have ended. Set PORT to another port; PORT=0 takes a free one.';

/** LISTEN in the column `st` of proc_net(5). */
const LISTENING = '0A';

/**
 * The process that listens at a port, as far as the system tells: on Linux, of the same user or for root.
 * @returns `process 4711 (node main.js)`; `undefined` if it is not known
 */
export function portHolder(port: number): string | undefined {
  const inodes = new Set(['tcp', 'tcp6'].flatMap((table) => listenersAt(port, table)));
  if (inodes.size === 0) return undefined;
  for (const pid of entriesOf('/proc').filter((name) => /^\d+$/.test(name))) {
    const folder = `/proc/${pid}/fd`;
    if (entriesOf(folder).some((descriptor) => inodes.has(socketOf(join(folder, descriptor)))))
      return `process ${pid} (${nameOf(pid)})`;
  }
  return undefined;
}

/** The inodes of sockets that listen, from `/proc/net/tcp`: `sl local_address rem_address st ... inode`. */
function listenersAt(port: number, table: string): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return textOf(`/proc/net/${table}`)
    .split('\n')
    .flatMap((line) => {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      return local.endsWith(suffix) && state === LISTENING ? inode : [];
    });
}

function socketOf(link: string): string {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(link))?.[1] ?? '';
  } catch {
    // Closed meanwhile.
    return '';
  }
}

/** The program and the script that it runs, `node main.js`; other arguments may be secret. */
function nameOf(pid: string): string {
  const [program = '', script = '-'] = textOf(`/proc/${pid}/cmdline`).split('\0');
  return [program, ...(script.startsWith('-') ? [] : [script])].map((path) => basename(path)).join(' ');
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Another system, or another user's process.
    return '';
  }
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** `127.0.0.1:8080 is in use by process 4711 (node main.js)`. */
export function inUse(where: string, port: number | undefined): string {
  const holder = port === undefined ? undefined : portHolder(port);
  return `${where} is in use${holder === undefined ? '' : ` by ${holder}`}`;
}
