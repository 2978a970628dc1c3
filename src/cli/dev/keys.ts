import { readFileSync } from 'node:fs';

/** Calls `onKey` for each key that is pressed, until it is closed. */
export interface Keys {
  close(): void;
}

/**
 * Reads single keys of the terminal. Ctrl-C and its like do what they do otherwise.
 * @returns `undefined` without a terminal, and in the background, where a program that touches the terminal is stopped
 */
export function readKeys(onKey: (key: string) => void): Keys | undefined {
  const { stdin } = process;
  if (stdin.isTTY !== true || !isInForeground()) return undefined;
  const heard = (keys: Buffer): void => {
    for (const key of keys.toString('latin1')) {
      const signal = SIGNALS[key];
      if (signal === undefined) onKey(key);
      else process.kill(process.pid, signal);
    }
  };
  stdin.setRawMode(true);
  stdin.on('data', heard);
  return {
    close() {
      stdin.off('data', heard);
      stdin.setRawMode(false);
      stdin.pause();
    },
  };
}

/** Control characters for which a terminal sends signals, unless its keys are read one by one. */
const SIGNALS: Readonly<Record<string, NodeJS.Signals>> = { '\x03': 'SIGINT', '\x1c': 'SIGTERM' };

/** Whether the terminal belongs to the group of this process (proc(5): the fields pgrp and tpgid of stat). Only Linux says so. */
function isInForeground(): boolean {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const [, , , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 1).split(' ');
    return group === foreground;
  } catch {
    return process.platform !== 'linux';
  }
}
