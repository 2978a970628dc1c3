import { relative, resolve } from 'node:path';
import type { Registry } from '../model/registry.ts';
import { reachable } from './address.ts';
import type { Place } from './project.ts';
import type { Colors } from './terminal.ts';

/** A gateway that has just come up. */
export interface Started {
  /** `http://127.0.0.1:8080`. */
  readonly address: string;
  readonly registry: Registry;
  readonly place: Place;
  /** It follows edits. */
  readonly follows: boolean;
}

/** What somebody who has just started the gateway wants to know next: the page, a first call, where to edit, how to stop. */
export async function renderScreen({ address, registry, place, follows }: Started, paint: Colors): Promise<string> {
  const { firstCall } = await import('../serve/page/curl.ts');
  const here = reachable(address);
  const sampleUsers = process.env.SIGNALBOX_SAMPLE_USERS !== 'off';
  const call = firstCall(registry, `${here}/${registry.gateway.context}`, sampleUsers);
  const folder = relative(process.cwd(), resolve(place.root, place.definitions ?? 'definitions')) || '.';
  // What is run by npm is a script of the project, and so is the other.
  const dev = process.env.npm_lifecycle_event === undefined ? 'signalbox dev' : 'npm run dev';
  const rows = [
    ['Services', `${here}/`],
    ...(call === undefined ? [] : [['Try it', call]]),
    ['Definitions', `${folder}/ (${follows ? 'edits are taken over as you save' : `'${dev}' follows edits`})`],
    ['Stop', 'Ctrl-C'],
  ];
  const lines = rows.map(([name = '', text = '']) => `  ${paint.bold(name.padEnd(WIDTH))}${text}`);
  return `\n${lines.join('\n')}\n\n`;
}

const WIDTH = 'Definitions  '.length;
