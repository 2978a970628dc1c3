// Every key of the definitions either yields a change in `signalbox diff`, or is stated here not to concern partners.
import { describe, expect, it } from 'vitest';
import { sharedKeys } from '../../src/load/schema/operation.ts';
import { KEY_CHANGES } from './key-changes.ts';
import { compareTexts, definitionsAround } from './sample.ts';
import { schemaKeys } from './schema-keys.ts';

/** Keys that do not concern partners, with all keys inside them. */
const UNSEEN: Readonly<Record<string, string>> = {
  'gateway.description': 'It is not in any contract.',
  'gateway.listen': 'Contracts have the address of `publicUrl`; deployments decide what leads to it.',
  'gateway.database': 'It is how data is stored.',
  'gateway.migrations': 'It is how data is stored.',
  'gateway.sample-data': 'It is for trials.',
  'gateway.handlers': 'It is where code is.',
  'gateway.tls.certificate': 'Certificates are renewed all the time, and callers check who issued them.',
  'gateway.tls.key': 'It is secret.',
  'gateway.tls.passphrase': 'It is secret.',
  'gateway.tls.client-ca': 'It is a file, whose content is not in the definitions.',
  'gateway.proxies': 'It is how the gateway is deployed.',
  'gateway.audit': 'It is for the operator.',
  'gateway.metrics': 'They are for the operator.',
  'gateway.drain': 'It is how the gateway stops.',
  'gateway.limits.processes': 'It bounds work that callers do not notice.',
  'gateway.limits.temporary': 'It bounds work that callers do not notice.',
  'gateway.limits.unknown': 'It bounds attempts of those who are not callers.',
  'gateway.retention': 'It is how long the operator keeps what has ended.',
  'gateway.console': 'It is for the operator.',
  'gateway.accepted-breaks': 'It judges changes, and is none.',
  'gateway.properties.ig.UseDomainName.ExternalOperationNames': 'It has no effect.',
  'gateway.once.size': 'It bounds what is stored.',
  'operation.once.size': 'It bounds what is stored.',
  'operation.handler': 'It is code.',
  'operation.save': 'What callers notice of a component is reported with its own keys.',
  'operation.read': 'What callers notice of a component is reported with its own keys.',
  'operation.call': 'It is what answers; request and reply are those of the operation.',
  'operation.map': 'It is what answers; request and reply are those of the operation.',
  members: 'They are what answers; request and reply are those of the operation.',
  'operation.reply': 'It is what answers; request and reply are those of the operation.',
  'operation.reply-to.retry': 'It is how this gateway deals with failures.',
  'operation.retry': 'A request that is repeated is the same request.',
  'operation.values': 'It fills a field, as code does.',
  'operation.as': 'It is what the code may use.',
  'operation.properties.METHOD': 'It has to be the method of the operation.',
  'operation.properties.Method': 'It has to be the method of the operation.',
  'routing.properties.METHOD': 'It has to be the method of the operation.',
  'routing.properties.Method': 'It has to be the method of the operation.',
  'service.call': 'It is what answers; request and reply are those of the operations.',
  'service.flows': 'The calls of a flow are compared.',
  flow: 'The calls of a flow are compared.',
  'flow-step': 'The calls of a flow are compared.',
  'field.list.one-of': 'It is that of the document in the list, `field.one-of`.',
  'field.list.by': 'It is that of the document in the list, `field.by`.',
  'field.list.named': 'It is that of the document in the list, `field.named`.',
  'node.description': 'It is not in any contract.',
  'node.ca-file': 'It is whom this gateway trusts.',
  'node.certificate': 'Which certificate it is depends on the environment; that there is one is compared.',
  'node.resolve': 'It is how this gateway finds the system.',
  'node.timeouts': 'It is how this gateway deals with failures.',
  'node.retry': 'It is how this gateway deals with failures.',
  'node.circuit': 'It is how this gateway deals with failures.',
  'node.rate': 'It spares the system.',
  'node.concurrency': 'It spares the system.',
  'node.redirects': 'It is what this gateway follows.',
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
  'node.credential.client-credentials': 'Credentials depend on the environment; their kind is compared.',
  datasource: 'It is how data is stored.',
  'query.sql': 'It is how rows are found.',
  'query.datasource': 'It is how rows are found.',
  'query.infinity': 'It is what becomes of rows that would be an error.',
  'query.connects': 'It is how stored queries are ordered.',
  'query.timeout': 'It is how rows are found.',
  'component.component': 'It is not sent.',
  'component.description': 'It is not in any contract.',
  'component.table': 'It is how data is stored.',
  'component.columns': 'It is how data is stored.',
  'component.events': 'They are code.',
  'related-content': 'It is code.',
  'process.handler': 'It is code.',
  'process.query': 'It is what runs.',
  'process.retry': 'It is how this gateway deals with failures.',
  'process.timeout': 'It is how this gateway deals with failures.',
  'process.recurs': 'It is when it runs.',
  'process.run-as': 'It is what the code may use.',
  recurrence: 'It is when processes run.',
  'scheme.description': 'It is not in any contract.',
  'scheme.basic': 'It has no settings; another kind of scheme is reported with that one.',
  'scheme.bearer.jwks': 'It is where keys are; tokens stay the same.',
  'scheme.signature.ca': 'It is a file, whose content is not in the definitions.',
  'scheme.webhook.user': 'It is under which name the call is recorded.',
  'scheme.webhook.secrets': 'They are secret.',
  'permission-list.description': 'It is not in any contract.',
  'permission-list.requests': 'It is for people who operate.',
  'permission-list.console': 'It is for the operator.',
  'role.description': 'It is not in any contract.',
  'user.description': 'It is not in any contract.',
  'user.sample': 'It is for trials.',
  'routing.routing': 'It is not sent.',
  'routing.description': 'It is not in any contract.',
  'routing.operation': 'What a routing sets is reported for the operation.',
  'routing.log': 'It is for the operator.',
  queue: 'That a request is queued is reported with `operation.queue`; how the queue works is not noticed.',
  subscription: 'It is what is done with a message; a call that it makes is compared.',
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
