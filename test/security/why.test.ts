import { describe, expect, it } from 'vitest';
import type { Position } from '../../src/model/definition.ts';
import {
  ANYONE,
  type CallerFacts,
  type Chain,
  callerOfRole,
  findThings,
  judge,
  listCallers,
  listThings,
  permittedTo,
  reachedAs,
  type Thing,
  whatIsMissing,
} from '../../src/security/grants.ts';
import { load } from '../load/linked.ts';

const HASH = '$scrypt$ln=1,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AuMcxQgRFHdYh6Wtyp4w7rjK3eAMTnKXPSzeLdLqyjQ';
const TEXT = `permission-list: CALLS
operations: [Staff.*]
---
permission-list: NAMES
queries: [STAFF_*]
processes: [LIST*]
---
permission-list: PARTNERS
---
permission-list: UNHELD
---
role: CLERK
permission-lists: [CALLS, NAMES]
---
role: READER
permission-lists: [NAMES]
---
role: CALLER
permission-lists: [CALLS, PARTNERS]
---
user: ada
password: ${HASH}
roles: [READER, CLERK]
---
user: bob
password: ${HASH}
roles: [CALLER]
---
query: STAFF_NAMES
columns: { NAME: string }
sql: select name from staff
---
query: SECRETS
permission: [UNHELD, NAMES]
columns: { NAME: string }
sql: select name from staff
---
query: OPEN
public: true
columns: { NAME: string }
sql: select name from staff
---
process: LIST
type: PSQuery
query: STAFF_NAMES
---
process: OPEN
type: PSQuery
query: OPEN
permission: UNHELD
---
document: PLACE
fields: { ID: { type: string(5), required: true } }
---
component: PLACES
table: place
shape: PLACE
keys: [ID]
---
node: PARTNER
base: https://partner.example.org
---
service: Out.v1
target: PARTNER
permission: PARTNERS
operations:
  SEND: { get: send, response: text }
  TELL: { get: tell, response: text, permission: NAMES }
flows:
  both: [{ call: SEND }, { call: TELL }]
---
service: Staff.v1
operations:
  NAMES_GET: { get: names, query: STAFF_NAMES }
  NAMES_AS: { get: as/names, query: STAFF_NAMES, as: READER }
  SEND_GET: { get: send, response: text, call: SEND }
  PLACE_GET: { get: "places/{ID}", read: PLACES }
`;
const registry = load(TEXT);
const withTokens = load(`scheme: TOKENS
bearer:
  issuer: https://login.example.org
  audience: signalbox
  jwks: https://login.example.org/keys.json
  roles: { names.read: READER, all: [READER, CALLER] }
---
${TEXT}`);
const things = listThings(registry);
const callers = listCallers(registry, registry.users.values());

function thing(asked: string, among = things): Thing {
  const [found, ...more] = findThings(among, asked);
  if (found === undefined || more.length > 0) throw new TypeError(`${asked} is ${more.length} more than one`);
  return found;
}
const who = (asked: string, all = callers, of = things): string[] =>
  all.filter((caller) => judge(caller, thing(asked, of)).may).map(({ name }) => name);

it('judges the same with and without the reasons', () => {
  const ofRoles = [...registry.roles.values()].map(callerOfRole);
  for (const caller of [...callers, ...ofRoles, ANYONE]) {
    const may = permittedTo(caller);
    expect(things.filter(may)).toEqual(things.filter((each) => judge(caller, each).may));
  }
});

const shown = (chains: readonly Chain[]): string[][] =>
  chains.map((chain) => chain.map(({ because, at }) => `${because}: ${sourceAt(at)}`));
/** The line of a place, cut where the place begins. */
const sourceAt = (at: Position | undefined): string => {
  const line = TEXT.split('\n')[(at?.line ?? 0) - 1] ?? '';
  return `${line.slice(0, (at?.column ?? 0) - 1)}^${line.slice((at?.column ?? 0) - 1)}`.trim();
};
const why = (name: string, asked: string): string[][] => {
  const caller = callers.find((each) => each.name === name) as CallerFacts;
  return shown(judge(caller, thing(asked)).needs.flatMap(({ chains }) => chains));
};

describe('who may use a thing', () => {
  it.each([
    ['NAMES_GET', ['ada'], 'the operation, and the query that answers it'],
    ['NAMES_AS', ['ada', 'bob'], 'the operation; the query is the role’s'],
    ['SEND_GET', ['bob'], 'the operation, and the call'],
    ['PLACE_GET', ['ada', 'bob'], 'a component that nobody names asks for nothing'],
    ['STAFF_NAMES', ['ada'], 'a list that adds it'],
    ['SECRETS', ['ada'], 'one of its lists'],
    ['LIST', ['ada'], 'the process, and its query'],
    ['process:OPEN', [], 'a list that no role has'],
    ['query:OPEN', ['ada', 'bob'], 'everybody'],
    ['SEND', ['bob'], 'the list of its service'],
    ['Out.v1.both', [], 'a flow takes the grant of every step'],
  ])('%s: %j', (asked, expected) => {
    expect(who(asked)).toEqual(expected);
  });

  it('is told of things of several kinds with one id, unless the kind is said', () => {
    expect(findThings(things, 'OPEN').map(({ kind }) => kind)).toEqual(['query', 'process']);
    expect(findThings(things, 'process:OPEN').map(({ kind }) => kind)).toEqual(['process']);
    expect(findThings(things, 'flow:OPEN')).toEqual([]);
  });

  it('tokens may by what their claims give', () => {
    const theirs = listThings(withTokens);
    expect(who('NAMES_GET', listCallers(withTokens, []), theirs)).toEqual(['a token of TOKENS with scope all']);
    const [caller] = listCallers(withTokens, []);
    const { needs } = judge(caller as CallerFacts, thing('STAFF_NAMES', theirs));
    expect(needs[0]?.chains[0]?.[0]).toEqual({
      because: 'a token of TOKENS with scope names.read has the role READER',
      at: { file: 'definitions/example.yaml', line: 6, column: 24 },
    });
  });
});

describe('why', () => {
  it('is every way to it, by the line of each link', () => {
    expect(why('ada', 'STAFF_NAMES')).toEqual([
      [
        'ada has the role READER: roles: [^READER, CLERK]',
        'READER has the list NAMES: permission-lists: [^NAMES]',
        'NAMES grants query STAFF_NAMES: queries: [^STAFF_*]',
      ],
      [
        'ada has the role CLERK: roles: [READER, ^CLERK]',
        'CLERK has the list NAMES: permission-lists: [CALLS, ^NAMES]',
        'NAMES grants query STAFF_NAMES: queries: [^STAFF_*]',
      ],
    ]);
    expect(why('ada', 'SECRETS')[0]?.at(-1)).toBe('NAMES grants query SECRETS: permission: [UNHELD, ^NAMES]');
    expect(why('bob', 'SEND')).toEqual([
      [
        'bob has the role CALLER: roles: [^CALLER]',
        'CALLER has the list PARTNERS: permission-lists: [CALLS, ^PARTNERS]',
        'PARTNERS grants called operation SEND: permission: ^PARTNERS',
      ],
    ]);
  });

  it('is the role of the operation where that stands in the caller’s place', () => {
    expect(why('bob', 'NAMES_AS').at(-1)).toEqual([
      'NAMES_AS runs as the role READER: ^NAMES_AS: { get: as/names, query: STAFF_NAMES, as: READER }',
      'READER has the list NAMES: permission-lists: [^NAMES]',
      'NAMES grants query STAFF_NAMES: queries: [^STAFF_*]',
    ]);
    expect(shown(reachedAs(registry, thing('STAFF_NAMES')))[0]?.[0]).toBe(
      'NAMES_AS runs as the role READER: ^NAMES_AS: { get: as/names, query: STAFF_NAMES, as: READER }',
    );
    expect(reachedAs(registry, thing('SEND'))).toEqual([]);
    expect(reachedAs(registry, thing('SECRETS')), 'granted to the role, and not what the operation reads').toEqual([]);
    expect(reachedAs(registry, thing('query:OPEN')), 'what is open is reached by no role').toEqual([]);
  });

  it('not is the lists that grant it and the roles that have them', () => {
    const missing = (name: string, asked: string) => {
      const caller = callers.find((each) => each.name === name) as CallerFacts;
      return shown(whatIsMissing(registry, thing(asked), judge(caller, thing(asked))));
    };
    expect(missing('bob', 'SECRETS')).toEqual([
      [
        'UNHELD grants query SECRETS: permission: [^UNHELD, NAMES]',
        'no role has the list UNHELD: permission-list: ^UNHELD',
      ],
      [
        'NAMES grants query SECRETS: permission: [UNHELD, ^NAMES]',
        'CLERK has the list NAMES: permission-lists: [CALLS, ^NAMES]',
        'READER has the list NAMES: permission-lists: [^NAMES]',
      ],
    ]);
    expect(missing('ada', 'SECRETS')).toEqual([]);
  });
});

it('the places of grants are frozen with all else', () => {
  const grantedAt = registry.users.get('ada')?.grantedAt as Map<unknown, unknown>;
  expect(() => grantedAt.clear()).toThrow('frozen');
});
