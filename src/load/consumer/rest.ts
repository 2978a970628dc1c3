import type { CallBody, CallHeader, RestConsumer } from '../../model/consumer.ts';
import type { Message, Method } from '../../model/service.ts';
import { derivedName } from '../document/derived-name.ts';
import type { Documents } from '../document/documents.ts';
import { contentOf } from '../document/message.ts';
import { given } from '../given.ts';
import type { Linking } from '../linking.ts';
import { knownDocument } from '../operation/input.ts';
import { linkDocument, linkRequest, linkResponses, linkTemplateDocument } from '../operation/message.ts';
import type { OperationSpot } from '../operation/spot.ts';
import { templateCount } from '../operation/templates.ts';
import { linkCallBody } from './body.ts';
import { type ConsumerFacts, isSchemeOnly, saidTarget } from './facts.ts';
import { type CallFields, callFields, carriedNames, inputOf, linkFilled, type Usage, valueNames } from './input.ts';
import { fitContentType, linkCallHeaders } from './rest-headers.ts';
import { linkRestProperties, withSegmentType } from './rest-properties.ts';
import { linkCallUris } from './uri.ts';
import { checkOwnValues, linkValues } from './values.ts';

/** Links an operation that calls another system over REST. */
export function linkRestConsumer(
  documents: Documents,
  spot: OperationSpot,
  facts: ConsumerFacts,
  method: Method,
): RestConsumer {
  const { linking } = documents;
  const request = linkRequest(documents, spot);
  const responses = linkResponses(documents, spot);
  const fields = linkFields(documents, spot, request);
  const { body, known, why } = linkCallBody(linking, spot, method, request, fields);
  const headers = linkHeaders(linking, spot, fields, body, known);
  const properties = linkRestProperties(linking, spot, { method, headers, body: known ? body : undefined });
  const texts = headers.map(({ text }) => text);
  const { primaryUrl } = properties;
  const host = isHostInTemplates(linking, spot, primaryUrl === undefined ? facts.target.base : [primaryUrl]);
  const uris = linkCallUris(linking, spot, method, fields, { body, inHeaders: carriedNames(texts), host });
  const usage: Usage = { always: new Set([...valueNames(texts), ...alwaysInBody(body)]), uris };
  const filled = linkFilled(linking, fields, usage);
  const consumer: RestConsumer = {
    kind: 'rest',
    ...facts,
    method,
    uris,
    host,
    input: documents.synthesize(derivedName(spot, 'INPUT'), inputOf(fields, filled, usage), spot.at, {
      open: body.kind === 'document' && body.document.open,
    }),
    filled,
    headers,
    body,
    responses: responses ?? [],
    properties,
    ...given({ fault: linkDocument(documents, spot, 'fault') }),
  };
  if (fields.complete && known && !spot.lacks('headers')) {
    checkOwnValues(linking, spot, consumer);
    checkCarried(linking, spot, consumer, request, why);
  }
  // A template that was refused has not been removed, and what nobody knows of may use a value.
  const isWhole = fields.complete && known && responses !== undefined && uris.length === templateCount(spot, method);
  if (!isWhole) linking.incomplete.add(consumer);
  return consumer;
}

/** Everything that the call may use. */
function linkFields(documents: Documents, spot: OperationSpot, request: Message | undefined): CallFields {
  const { linking } = documents;
  const content = request === undefined ? [] : contentOf(request, spot).map((field) => ({ ...field, required: true }));
  const template = linkTemplateDocument(documents, spot);
  if (template !== 'unknown' && template?.fields.some(({ name }) => name === content[0]?.name)) {
    const reason = 'Without a document the body is the field content, and the template document has one of that name';
    linking.report.raise('bad-body', { reason }, spot.inherited('request')?.at ?? spot.at);
  }
  const fields = callFields(linking, [knownDocument(request), template], content, linkValues(linking, spot));
  return { ...fields, complete: fields.complete && !spot.lacks('request', 'template', 'values') };
}

function linkHeaders(
  linking: Linking,
  spot: OperationSpot,
  fields: CallFields,
  body: CallBody,
  known: boolean,
): CallHeader[] {
  const said = linkCallHeaders(linking, spot, fields);
  return known ? withSegmentType(linking, spot, fitContentType(linking, spot, said, body), body) : said;
}

/** Refuses fields that the operation's own request requires and the call never sends; its service's is of several calls. */
function checkCarried(
  { report, places }: Linking,
  { declared }: OperationSpot,
  { input, uris }: RestConsumer,
  request: Message | undefined,
  why: string,
): void {
  const [first] = uris;
  if (declared.request === undefined || request?.kind !== 'document' || first === undefined) return;
  const sent = new Set(input.fields.map(({ name }) => name));
  for (const { name, required, fixed } of request.document.fields) {
    if (!required || fixed !== undefined || sent.has(name)) continue;
    report.raise('unreachable-field', { field: name, uri: first.index, why }, places.key(declared, 'request'));
  }
}

/** Fields without which there is no body. */
function alwaysInBody(body: CallBody): readonly string[] {
  if (body.kind === 'form') return valueNames(body.fields.map(({ text }) => text));
  return body.kind === 'raw' ? ['content'] : [];
}

/** Whether the addresses are schemes alone; where some are, all of them must be. */
function isHostInTemplates(linking: Linking, spot: OperationSpot, base: RestConsumer['target']['base']): boolean {
  const without = base.filter(isSchemeOnly).length;
  if (without > 0 && without < base.length) {
    const { id, at } = saidTarget(linking, spot);
    linking.report.raise('mixed-bases', { node: id, operation: spot.id }, at);
  }
  return without > 0;
}
