import type { ConsumerOperation } from '../model/consumer.ts';
import type { Field } from '../model/field.ts';
import { qualifiedName } from '../model/operation-names.ts';
import { type Message, type Operation, operationsOf } from '../model/service.ts';
import { fieldsBelow } from './documents.ts';
import { defineKind } from './kind.ts';

/** A service, whose operations are provided or called, and whose flows consist of calls. */
export const service = defineKind({
  code: true,
  members: {
    services: {
      word: 'service',
      pages: {
        title: 'Services',
        path: 'services',
        about: ({ namespace }) => (namespace === undefined ? [] : [namespace]),
      },
    },
    operations: {
      word: 'operation',
      pages: {
        title: 'Operations',
        path: 'operations',
        about: addressesOf,
        names: (operation) => [operation.name, qualifiedName(operation)],
        fields: ({ request, responses }) => fieldsIn([request, ...responses.map(({ message }) => message)]),
      },
    },
    consumers: {
      word: 'called operation',
      pages: {
        title: 'Called operations',
        path: 'operations',
        about: (operation) => [...addressesOf(operation), `to ${operation.target.id}`],
        names: (operation) => [operation.name, qualifiedName(operation)],
        fields: (operation) => fieldsIn(messagesOf(operation)),
      },
    },
    flows: {
      word: 'flow',
      optional: true,
      pages: {
        title: 'Flows',
        path: 'flows',
        about: (flow) => [
          operationsOf(flow)
            .map(({ id }) => id)
            .join(' > '),
        ],
        names: ({ name }) => [name],
        fields: ({ input }) => input.fields,
      },
    },
  },
});

/** `GET Locations.v1/Locations/{REGION}`, `SOAP LOCATIONS_GET.v1`. */
function addressesOf(operation: Operation | ConsumerOperation): readonly string[] {
  if ('target' in operation)
    return operation.kind === 'soap'
      ? [`SOAP ${operation.soap.action}`]
      : operation.uris.map(({ template }) => `${operation.method} ${template.text}`);
  const { method, uris, pathName, service, soap } = operation;
  return [
    ...uris.map(({ template }) => `${method} ${pathName}.${service.version}/${template.text}`),
    ...(soap === undefined ? [] : [`SOAP ${soap.action}`]),
  ];
}

/** The messages of a called operation: what it is sent, and its replies. */
export function messagesOf(operation: ConsumerOperation): readonly Message[] {
  return operation.kind === 'soap'
    ? [operation.soap.request, operation.soap.response]
    : [{ kind: 'document', document: operation.input }, ...operation.responses.map(({ message }) => message)];
}

function fieldsIn(messages: readonly Message[]): Field[] {
  return messages.flatMap((message) => (message.kind === 'document' ? fieldsBelow(message.document) : []));
}
