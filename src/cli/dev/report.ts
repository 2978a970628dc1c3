import { type Colors, writeAtOnce } from '../terminal.ts';

/** What the supervisor tells the user. */
export interface Reporter {
  /** The gateway is up for the first time. */
  ready(address: string, tookMs: number, screen: string): void;
  reloaded(tookMs: number, what: string): void;
  note(line: string): void;
  /** The edit is not taken over; `text` says why. */
  failed(text: string, serving: boolean): void;
  crashed(how: string, pauseMs: number): void;
}

/** A reporter that writes lines to standard output, and what is wrong to standard error. */
export function lineReporter({ green, red }: Pick<Colors, 'green' | 'red'>): Reporter {
  const ms = (time: number): string => `${Math.round(time)} ms`;
  return {
    ready: (address, took, screen) =>
      writeAtOnce(1, `${green('Signalbox is ready')} on ${address} (${ms(took)})\n${screen}`),
    reloaded: (took, what) => writeAtOnce(1, `${green('Reloaded')} in ${ms(took)}${what === '' ? '' : `: ${what}`}\n`),
    note: (line) => writeAtOnce(1, `${line}\n`),
    failed: (text, serving) => {
      const state = serving ? 'Still serving what was last good.' : 'Nothing is served yet.';
      writeAtOnce(2, `${text.trimEnd()}\n${red('Not taken over.')} ${state} Waiting for the next save.\n`);
    },
    crashed: (how, pause) =>
      writeAtOnce(2, `${red('The gateway ended')} (${how}); it is started again in ${ms(pause)}.\n`),
  };
}
