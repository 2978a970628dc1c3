// The glossary has the words that there are, and those that are refused.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { FORMER_COMMANDS } from '../../src/cli/former-commands.ts';
import { createProgram } from '../../src/cli/program.ts';
import { definitionsSchema } from '../../src/load/index.ts';
import { FORMER_KEYS } from '../../src/load/read/former-keys.ts';
import { MESSAGE_STATUSES } from '../../src/model/message.ts';
import { JOB_STATES } from '../../src/operator/queue.ts';
import { RUN_STATUS } from '../../src/process/status.ts';
import { repository } from '../cli/support.ts';
import { tableRows } from '../support/markdown.ts';

const glossary = readFileSync(join(repository, 'docs/glossary.md'), 'utf8');
const quoted = (text = ''): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, word]) => word as string);

test('every key of the glossary is one', () => {
  const keys = keysIn(definitionsSchema());
  const named = tableRows(glossary, 'key').flatMap(([first]) => quoted(first));
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((key) => !keys.has(key))).toEqual([]);
});

test('every command of the glossary is one', async () => {
  const commands = new Set(commandsIn(await createProgram()));
  const named = tableRows(glossary, 'command').flatMap(([first]) => quoted(first));
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((command) => !commands.has(command))).toEqual([]);
});

test('the glossary has every state', () => {
  const states = new Map(tableRows(glossary, 'of').map(([of = '', list]) => [of, quoted(list).sort()]));
  expect(states).toEqual(
    new Map([
      ['messages, deliveries', [...MESSAGE_STATUSES].sort()],
      ['process requests', Object.keys(RUN_STATUS).sort()],
      ['jobs', [...JOB_STATES].sort()],
    ]),
  );
});

test('the glossary has every word that is refused, with the one that replaces it', () => {
  const written = tableRows(glossary, 'instead of').map(([before, , now]) => [quoted(before)[0], quoted(now)[0]]);
  const commands = [...FORMER_COMMANDS].map((each) => each.map((command) => command.replace(/^signalbox /, '')));
  expect(written).toEqual([...FORMER_KEYS.map(({ key, now }) => [key, now]), ...commands]);
});

test('a key that is refused is not named elsewhere in the glossary as one to write', () => {
  const named = new Set(tableRows(glossary, 'key').flatMap(([first]) => quoted(first)));
  expect(FORMER_KEYS.filter(({ key }) => named.has(key))).toEqual([]);
});

/** The names of all properties. */
function keysIn(schema: unknown, found = new Set<string>()): Set<string> {
  if (typeof schema !== 'object' || schema === null) return found;
  const { properties } = schema as { readonly properties?: object };
  for (const key of Object.keys(properties ?? {})) found.add(key);
  for (const inner of Object.values(schema)) keysIn(inner, found);
  return found;
}

function commandsIn(command: Command, before = ''): string[] {
  const name = `${before}${command.name()}`;
  return [name, ...command.commands.flatMap((each) => commandsIn(each, `${name} `))];
}
