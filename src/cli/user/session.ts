import { type Command, Option } from 'commander';
import { SESSIONS } from '../../operator/user.ts';
import { counted } from '../../wire/words.ts';
import { CliFailure, wrongUsage } from '../failure.ts';
import { AS_JSON, explain } from '../help.ts';
import { columnsOf } from '../operator.ts';
import { loadRegistry, placeOf, readTables, withCurrentStore } from '../project.ts';
import { print, printResult, tableOf } from '../terminal.ts';
import { checkText, defaultActor } from './access.ts';

const help = {
  examples: ['signalbox user session list', 'signalbox user session end --user ada'],
  notes: [
    'A session begins with a sign-in to the console. It ends when it was not used for `idle` of the console, after `session` of it, when the user signs out, is disabled or gets another password, or by a command. Gateways notice that within 2 s.',
  ],
} as const;

/** `signalbox user session list|end`: of the console, for all users. */
export function addUserSession(user: Command): void {
  const session = explain(user.command('session'), help).description('manage the sessions of the console');
  addSessionList(session);
  addSessionEnd(session);
}

function addSessionList(session: Command): void {
  explain(session.command('list'), {
    examples: ['signalbox user session list', "signalbox user session list ada --json | jq -r '.[].id'"],
  })
    .description('list the sessions that can be used, the newest first')
    .argument('[user]', 'list the sessions of this user only')
    .option('--json', AS_JSON)
    .action(async (user: string | undefined, { json }: { json?: true }, self: Command) => {
      const place = placeOf(self);
      const registry = await loadRegistry(place, 'ignore-missing');
      const { selectSessions } = await import('../../security/sign-in/session-rows.ts');
      // While the console is off, no session can be used.
      const lasting = { now: Date.now(), idle: registry.gateway.console?.idle ?? 0 };
      const sessions = await readTables(registry, place, (db) => selectSessions(db, lasting, user));
      await printResult(sessions, json, (all) => tableOf(all, columnsOf(SESSIONS)));
    });
}

interface EndOptions {
  readonly user?: string;
  readonly actor?: string;
}

function addSessionEnd(session: Command): void {
  explain(session.command('end'), {
    examples: ['signalbox user session end 3f6b2d9a01c47e58', 'signalbox user session end --user ada'],
  })
    .description('end a session, or all sessions of a user; they are refused within 2 s')
    .argument('[session]', "its id, as 'session list' shows it")
    .option('--user <user>', 'end all sessions of this user')
    .addOption(new Option('--actor <name>', 'the name in the audit trail (default: account@host)'))
    .action(async (id: string | undefined, { user, actor = defaultActor() }: EndOptions, self: Command) => {
      if ((id === undefined) === (user === undefined))
        throw wrongUsage('name a session, or a user with --user', 'signalbox user session list lists the sessions.');
      checkText('--actor', actor);
      const place = placeOf(self);
      const registry = await loadRegistry(place, 'ignore-missing');
      const { endNoted } = await import('../../security/sign-in/session-rows.ts');
      await withCurrentStore(registry, place, async (store) => {
        const which = id === undefined ? { user: user as string } : { id };
        const ended = await endNoted(store, { ...which, reason: 'operator' }, { actor, now: Date.now() });
        if (ended === 0 && id !== undefined)
          throw new CliFailure(`there is no session ${id} that has not ended`, {
            hint: 'signalbox user session list lists the sessions.',
          });
        await print(
          id === undefined ? `${counted(ended, 'session')} of ${user} ended.\n` : `Session ${id} has ended.\n`,
        );
      });
    });
}
