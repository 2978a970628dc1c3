import { type Command, InvalidArgumentError } from 'commander';
import { duration } from '../../load/schema/json-schema.ts';
import { milliseconds } from '../../load/units.ts';
import type { KeptKey } from '../../security/users/port.ts';
import { renderTable } from '../table.ts';
import { coloursOf, note, print } from '../terminal.ts';
import { checkText, refuseDeclared, withActor, withUsers } from './access.ts';

/** As the definitions write one. */
const TIME = new RegExp(duration.pattern as string);
const SHORTEST = milliseconds('1 s');
/** A date must be one. */
const LONGEST = milliseconds('36500 d');

/** `signalbox user key add|list|revoke`. */
export function addUserKey(user: Command): void {
  const key = user.command('key').description('API keys of a user');
  addKeyAdd(key);
  addKeyList(key);
  addKeyRevoke(key);
}

function addKeyAdd(key: Command): void {
  const command = key
    .command('add')
    .description('make a key, and print it once')
    .argument('<id>', 'the user')
    .option('--expires <time>', "how long it holds: '90 d', '12 h'; for ever where it is left out", readTime)
    .option('--description <text>', 'what it is for');
  withActor(command).action(async (id: string, options: { expires?: number; description?: string }, run: Command) =>
    withUsers(run, async ({ registry, users }) => {
      refuseDeclared(registry, id);
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
  key
    .command('list')
    .description('list the keys of a user, by the part that may be shown')
    .argument('<id>', 'the user')
    .option('--json', 'as JSON')
    .action(async (id: string, { json = false }: { json?: boolean }, run: Command) =>
      withUsers(run, async ({ registry, users }) => {
        refuseDeclared(registry, id);
        const keys = await users.keys(id);
        await print(json ? `${JSON.stringify(keys, null, 2)}\n` : renderKeys(keys));
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
  const command = key
    .command('revoke')
    .description('let a key be refused, within 2 s and for ever')
    .argument('<id>', 'the user')
    .argument('<key>', 'the part of it that is listed');
  withActor(command).action(async (id: string, name: string, _: object, run: Command) =>
    withUsers(run, async ({ registry, users }) => {
      refuseDeclared(registry, id);
      const changed = await users.revokeKey(id, name);
      await print(`Key ${name} of ${id} is revoked${changed ? '' : ' already'}.\n`);
    }),
  );
}
