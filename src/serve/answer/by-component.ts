import type { Format } from '../../binding/message.ts';
import { compileTextWriter } from '../../codec/index.ts';
import type { Component, ComponentAction, SaveOptions } from '../../model/component.ts';
import { type ErrorPlace, Fault } from '../../model/fault.ts';
import type { Outcome } from '../../model/handler.ts';
import type { Registry } from '../../model/registry.ts';
import type { Operation, OperationUri } from '../../model/service.ts';
import type { DocumentValue } from '../../model/value.ts';
import { jsonPointer } from '../../wire/json-pointer.ts';
import { compileUriExpander } from '../../wire/uri-template/expand.ts';
import type { Answerer, AnswerPorts, Call } from './call.ts';

/**
 * `save: COMPONENT` and `read: COMPONENT`: reads a record, or saves it with the events that follow. Preconditions come
 * from If-Match and If-None-Match over REST (RFC 9110, section 13.1), and from the request's lock over SOAP.
 */
export function answerByComponent(
  operation: Operation,
  component: Component,
  action: ComponentAction,
  ports: AnswerPorts,
): Answerer {
  return action === 'read' ? readBy(component, ports) : saveBy(operation, component, action, ports);
}

/**
 * Suffix of the tag of each form: a strong tag distinguishes all forms of a record (RFC 9110, section 8.8.1). A record's
 * own tag contains no dot.
 */
const ENDINGS: Readonly<Partial<Record<Format, string>>> = { xml: '.xml', psnonxml: '.data' };

/** The entity tag of a form of a record. */
function tagOf(etag: string, as: Format): string {
  return `${etag.slice(0, -1)}${ENDINGS[as] ?? ''}"`;
}

/** Converts entity tags of any form to those of the record, because the record is what is saved. */
function recordTags(tags: string | undefined): string | undefined {
  return tags?.replaceAll(/(?<=[\w-])\.(?:xml|data)"/g, '"');
}

/** The preconditions of a save over REST. */
function expectedBy(call: Call): Pick<SaveOptions, 'ifMatch' | 'ifNoneMatch'> {
  const ifMatch = recordTags(call.header('if-match'));
  const ifNoneMatch = recordTags(call.header('if-none-match'));
  return { ...(ifMatch === undefined ? {} : { ifMatch }), ...(ifNoneMatch === undefined ? {} : { ifNoneMatch }) };
}

function readBy(component: Component, { components }: AnswerPorts): Answerer {
  return {
    async answer(input, call, as) {
      call.authoriseComponent(component);
      const { record, etag } = await components.read(component, input);
      return { kind: 'value', value: record, headers: { ETag: tagOf(etag, as) } };
    },
  };
}

function saveBy(
  operation: Operation,
  component: Component,
  action: Exclude<ComponentAction, 'read'>,
  { components, registry, base }: AnswerPorts,
): Answerer {
  const locate = action === 'create' ? compileLocation(component, registry) : undefined;
  const isPlain = operation.status === 200;
  return {
    async answer(input, call, as) {
      call.authoriseComponent(component);
      const { user, requestId, signal, takeEffect } = call;
      const expected = as === 'soap' ? {} : expectedBy(call);
      const saved = await components
        .save(component, action, input, { user, requestId, signal, takeEffect, ...expected })
        .catch((error: unknown) => {
          throw error instanceof Fault ? placed(error, operation, call.uriIndex) : error;
        });
      const { created, etag } = saved;
      // Code after the save may have deleted the record: then it is nowhere.
      const path = saved.record === undefined || etag === undefined ? undefined : locate?.(saved.record);
      const headers = {
        ...(etag === undefined ? {} : { ETag: tagOf(etag, as) }),
        ...(path === undefined ? {} : { Location: `${base()}/${path}` }),
      };
      const value = replyOf(operation, component, input, action === 'delete' ? undefined : saved.record, as === 'soap');
      return { kind: 'value', value, headers, ...(created && isPlain ? { status: 201 } : {}) } satisfies Outcome;
    },
  };
}

/** A fault about fields of the record, with their places in the request: a key may be in the URI. */
function placed(fault: Fault, { uris, requestHeaders }: Operation, uriIndex: number): Fault {
  const uri = uris.find(({ index }) => index === uriIndex);
  const places = new Map<string, ErrorPlace>([
    ...(uri?.variables ?? []).map(
      ({ field, wireName }) => [jsonPointer([field.jsonName]), { parameter: wireName }] as const,
    ),
    ...requestHeaders.map(({ field, header }) => [jsonPointer([field.jsonName]), { header }] as const),
  ]);
  const errors = fault.errors.map(({ pointer = '', ...error }) => ({
    ...error,
    ...(places.get(pointer) ?? { pointer }),
  }));
  return fault.saying(fault.message, fault.detail, errors);
}

/** The record; when the call deletes it, its keys over SOAP and nothing over REST. */
function replyOf(
  { responses, soap }: Operation,
  { keys }: Component,
  input: DocumentValue,
  record: DocumentValue | undefined,
  isSoap: boolean,
): DocumentValue {
  const message = isSoap ? soap?.response : responses[0]?.message;
  if (message?.kind !== 'document') return {};
  return record ?? Object.fromEntries(keys.map(({ name }) => [name, input[name]]));
}

/** The URI of a record: the first one of an operation that reads it and needs only its keys. */
function compileLocation(component: Component, registry: Registry): ((record: DocumentValue) => string) | undefined {
  const readers = [...registry.operations.values()].filter(
    ({ answer, active }) =>
      active && answer.kind === 'component' && answer.component === component && answer.action === 'read',
  );
  for (const { uris, pathName, service } of readers) {
    const uri = uris.find(({ variables }) => variables.every(({ field }) => component.keys.includes(field)));
    if (uri === undefined) continue;
    const expand = compilePath(uri);
    return (record) => `RESTListeningConnector/${pathName}.${service.version}/${expand(record)}`;
  }
  return undefined;
}

/** Writes a URI of an operation, with the values of its fields. Those that are absent are left out. */
export function compilePath({ template, variables }: OperationUri): (record: DocumentValue) => string {
  const styles = new Map(template.variables.map(({ name }, index) => [name, variables[index]?.field.url]));
  const expand = compileUriExpander(template, ({ name }) => styles.get(name) ?? 'segment');
  const writers = variables.map(({ field }, index) => {
    return { name: template.variables[index]?.name ?? field.name, field, write: compileTextWriter(field) };
  });
  return (record) =>
    expand(
      Object.fromEntries(
        writers.flatMap(({ name, field, write }) => {
          const value = record[field.name];
          return value === undefined ? [] : [[name, write(value)[0]]];
        }),
      ),
    );
}
