// Every key of the definitions either yields a change in `signalbox diff`, or is stated here not to concern partners.
import { describe, expect, it } from 'vitest';
import { sharedKeys } from '../../src/load/schema/operation.ts';
import { KEY_CHANGES } from './key-changes.ts';
import { KIND_KEYS } from './kind-keys.ts';
import { compareTexts, definitionsAround } from './sample.ts';
import { schemaKeys } from './schema-keys.ts';

/** Of the keys of kinds, those that do not concern partners. */
const UNSEEN_OF_KINDS = Object.entries(KIND_KEYS).flatMap(([kind, said]) =>
  typeof said === 'string'
    ? [[kind, said] as const]
    : Object.entries(said).flatMap(([key, why]) => (typeof why === 'string' ? [[`${kind}.${key}`, why] as const] : [])),
);

/** Keys that do not concern partners, with all keys inside them. */
const UNSEEN: Readonly<Record<string, string>> = {
  ...Object.fromEntries(UNSEEN_OF_KINDS),
  'gateway.tls.certificate': 'Certificates are renewed all the time, and callers check who issued them.',
  'gateway.tls.key': 'It is secret.',
  'gateway.tls.passphrase': 'It is secret.',
  'gateway.tls.client-ca': 'It is a file, whose content is not in the definitions.',
  'gateway.limits.processes': 'It bounds work that callers do not notice.',
  'gateway.limits.temporary': 'It bounds work that callers do not notice.',
  'gateway.limits.unknown': 'It bounds attempts of those who are not callers.',
  'gateway.properties.ig.UseDomainName.ExternalOperationNames': 'It has no effect.',
  'gateway.once.size': 'It bounds what is stored.',
  'operation.once.size': 'It bounds what is stored.',
  'operation.handler': 'It is code.',
  'operation.save': 'What callers notice of a component is reported with its own keys.',
  'operation.read': 'What callers notice of a component is reported with its own keys.',
  'operation.call': 'It is what answers; request and reply are those of the operation.',
  'operation.map': 'It is what answers; request and reply are those of the operation.',
  members: 'They are what answers; request and reply are those of the operation.',
  'operation.reply-of': 'It is what answers; request and reply are those of the operation.',
  'operation.reply-to.retry': 'It is how this gateway deals with failures.',
  'operation.retry': 'A request that is repeated is the same request.',
  'operation.values': 'It fills a field, as code does.',
  'operation.as': 'It is what the code may use.',
  'operation.properties.METHOD': 'It has to be the method of the operation.',
  'operation.properties.Method': 'It has to be the method of the operation.',
  'routing.properties.METHOD': 'It has to be the method of the operation.',
  'routing.properties.Method': 'It has to be the method of the operation.',
  flow: 'The calls of a flow are compared.',
  'flow-step': 'The calls of a flow are compared.',
  'field.list.one-of': 'It is that of the document in the list, `field.one-of`.',
  'field.list.by': 'It is that of the document in the list, `field.by`.',
  'field.list.named': 'It is that of the document in the list, `field.named`.',
  'node.credential.basic': 'Credentials depend on the environment; their kind is compared.',
  'node.credential.username-token.user': 'Credentials depend on the environment; their kind is compared.',
  'node.credential.username-token.password': 'It is secret.',
  'node.credential.signature.file':
    'Which certificate it is depends on the environment; that there is one is compared.',
  'node.credential.signature.key-file':
    'Which certificate it is depends on the environment; that there is one is compared.',
  'node.credential.signature.passphrase':
    'Which certificate it is depends on the environment; that there is one is compared.',
  'node.credential.api-key.value': 'It is secret.',
  'node.credential.hmac.secrets': 'They are secret.',
  'node.credential.hmac.secret-encoding': 'It is how the secret is written here; signatures stay the same.',
  'node.credential.client-credentials': 'Credentials depend on the environment; their kind is compared.',
  'scheme.bearer.jwks': 'It is where keys are; tokens stay the same.',
  'scheme.signature.ca': 'It is a file, whose content is not in the definitions.',
  'scheme.webhook.user': 'It is under which name the call is recorded.',
  'scheme.webhook.secrets': 'They are secret.',
  'scheme.hmac.user': 'It is under which name the call is recorded.',
  'scheme.hmac.secrets': 'They are secret.',
  'scheme.hmac.secret-encoding': 'It is how the secret is written here; signatures stay the same.',
};

const keys = schemaKeys();
const isBelow = (key: string, of: string): boolean => key === of || key.startsWith(`${of}.`);
const reasonFor = (key: string): string | undefined => Object.keys(UNSEEN).find((each) => isBelow(key, each));

/** A key of a service that is the default of its operations is compared with these. */
function asOperation(key: string): string {
  const [, name = ''] = key.split('.');
  return key.startsWith('service.') && Object.hasOwn(sharedKeys, name)
    ? `operation.${key.slice('service.'.length)}`
    : key;
}

describe('keys of the definitions', () => {
  it('are reported when they change, or do not concern partners', () => {
    const left = [...keys]
      .map(asOperation)
      .filter((key) => KEY_CHANGES[key] === undefined && reasonFor(key) === undefined);
    expect([...new Set(left)]).toEqual([]);
  });

  it('exist, of those that are listed here', () => {
    expect(Object.keys(KEY_CHANGES).filter((key) => !keys.has(key))).toEqual([]);
    expect(Object.keys(UNSEEN).filter((key) => ![...keys].some((each) => isBelow(each, key)))).toEqual([]);
  });

  it.each(Object.entries(KEY_CHANGES))('%s is reported in both directions', (_, [sample, before, after]) => {
    const { before: old, after: now } = definitionsAround({ kind: sample, before, after });
    expect(compareTexts(old, now)).not.toEqual([]);
    expect(compareTexts(now, old)).not.toEqual([]);
  });
});
