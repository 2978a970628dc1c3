import { type Command, InvalidArgumentError } from 'commander';
import { duration } from '../../load/schema/json-schema.ts';
import { milliseconds } from '../../load/value/units.ts';
import type { KeptKey } from '../../security/users/port.ts';
import { AS_JSON, explain } from '../help.ts';
import { renderTable } from '../table.ts';
import { coloursOf, jsonText, note, print } from '../terminal.ts';
import { changeUser, checkText, readUsers, refuseDeclared, withActor } from './access.ts';

/** As the definitions write one. */
const TIME = new RegExp(duration.pattern as string);
const SHORTEST = milliseconds('1 s');
/** A date must be one. */
const LONGEST = milliseconds('36500 d');

/** `signalbox user key add|list|revoke`. */
export function addUserKey(user: Command): void {
  const key = explain(user.command('key'), {
    examples: ["signalbox user key add ada --expires '90 d'", 'signalbox user key list ada'],
  }).description('manage the API keys of a user');
  addKeyAdd(key);
  addKeyList(key);
  addKeyRevoke(key);
}

function addKeyAdd(key: Command): void {
  const command = explain(key.command('add'), {
    examples: [
      "signalbox user key add ada --expires '90 d'",
      "signalbox user key add ada --description 'nightly export'",
    ],
  })
    .description('make a key, and print it once')
    .argument('<user>', 'its id')
    .option('--expires <time>', "how long it holds, as in '90 d' or '12 h' (default: for ever)", readTime)
    .option('--description <text>', 'what it is for');
  withActor(command).action(async (id: string, options: { expires?: number; description?: string }, run: Command) =>
    changeUser(run, id, async ({ users }) => {
      const { expires, description } = options;
      checkText('--description', description);
      const until = expires === undefined ? undefined : new Date(Date.now() + expires);
      const made = await users.addKey(id, {
        ...(until === undefined ? {} : { expires: until }),
        ...(description === undefined ? {} : { description }),
      });
      const holds = until === undefined ? 'does not expire' : `expires at ${until.toISOString()}`;
      note(`Key ${made.id} of ${id} ${holds}. It is shown only now:`);
      await print(`${made.key}\n`);
    }),
  );
}

/** @returns milliseconds */
function readTime(text: string): number {
  const time = TIME.test(text) ? milliseconds(text) : Number.NaN;
  if (!(time >= SHORTEST && time <= LONGEST))
    throw new InvalidArgumentError(
      "It takes a time like '90 d', '12 h' or '30 min'. It is 1 s or longer, and 36500 d at most.",
    );
  return time;
}

function addKeyList(key: Command): void {
  explain(key.command('list'), { examples: ['signalbox user key list ada'] })
    .description('list the keys of a user, by the part that may be shown')
    .argument('<user>', 'its id')
    .option('--json', AS_JSON)
    .action(async (id: string, { json = false }: { json?: boolean }, run: Command) =>
      readUsers(run, async ({ registry, users }) => {
        refuseDeclared(registry, id);
        const keys = await users.keys(id);
        await print(json ? jsonText(keys) : renderKeys(keys));
      }),
    );
}

/** A table of keys. */
export function renderKeys(keys: readonly KeptKey[]): string {
  const now = new Date().toISOString();
  const rows = keys.map(({ id, created, expires, revoked, description }) => [
    id,
    revoked !== undefined ? 'revoked' : expires !== undefined && expires <= now ? 'expired' : 'holds',
    created,
    expires ?? '',
    revoked ?? '',
    description ?? '',
  ]);
  const heading = ['KEY', 'STATE', 'CREATED', 'EXPIRES', 'REVOKED', 'DESCRIPTION'];
  return renderTable(heading, rows, { colours: coloursOf(process.stdout) });
}

function addKeyRevoke(key: Command): void {
  const command = explain(key.command('revoke'), { examples: ['signalbox user key revoke ada k3yp4rt0'] })
    .description('let a key be refused, within 2 s and for ever')
    .argument('<user>', 'its id')
    .argument('<key>', 'the part of it that is listed');
  withActor(command).action(async (id: string, name: string, _: object, run: Command) =>
    changeUser(run, id, async ({ users }) => {
      const changed = await users.revokeKey(id, name);
      await print(`Key ${name} of ${id} is revoked${changed ? '' : ' already'}.\n`);
    }),
  );
}
