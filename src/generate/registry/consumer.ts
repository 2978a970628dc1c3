import type {
  CallBody,
  ConsumerOperation,
  RestConsumer,
  RestProperties,
  SoapConsumer,
  SoapProperties,
} from '../../model/consumer.ts';
import type { Document } from '../../model/document.ts';
import type { Flow } from '../../model/flow.ts';
import type { JsonTree } from '../json-text.ts';
import { messageWords } from '../words.ts';
import { soapTree } from './operation.ts';
import { membersOf, no, some, sortedIds, yes } from './tree.ts';

/** A consumer of `registry.json`. References to configuration stand as written. */
export function consumerTree(consumer: ConsumerOperation): JsonTree {
  const { retry } = consumer;
  return {
    service: consumer.service.id,
    description: consumer.description,
    target: consumer.target.id,
    routing: consumer.routing,
    ...(consumer.kind === 'soap' ? overSoap(consumer) : overRest(consumer)),
    fault: consumer.fault?.id,
    timeout: consumer.timeout,
    retry: retry && { attempts: retry.attempts, on: [...retry.on] },
    permissions: sortedIds(consumer.permissions),
    public: yes(consumer.public),
    active: no(consumer.active),
  };
}

/** A flow of `registry.json`: its steps in order. */
export function flowTree(flow: Flow): JsonTree {
  return {
    service: flow.service.id,
    description: flow.description,
    input: inputTree(flow.input),
    steps: flow.steps.map(({ operation, keep, holds, renewOn, timeout }) => ({
      call: operation.id,
      keep: membersOf(keep.map(({ name, from }) => [name, from.path.join('.')])),
      for: holds?.path.join('.'),
      'renew-on': some([...renewOn]),
      timeout,
    })),
    active: no(flow.active),
  };
}

function overSoap({ soap, headers, properties }: SoapConsumer): object {
  return {
    soap: soapTree(soap),
    headers: membersOf(headers.map(({ name, value }) => [name, value])),
    properties: soapProperties(properties),
  };
}

function overRest({ method, uris, input, filled, headers, body, responses, properties }: RestConsumer): object {
  return {
    method,
    uris: uris.map(({ template }) => template.text),
    input: inputTree(input),
    filled: membersOf([...filled].map(([name, { source }]) => [name, source])),
    headers: membersOf(headers.map(({ name, text }) => [name, text.source])),
    body: bodyTree(body),
    response: Object.fromEntries(responses.map(({ mediaType, message }) => [mediaType, messageWords(message)])),
    properties: restProperties(properties),
  };
}

/** Names of fields, with a question mark where they may be left out. */
function inputTree({ fields }: Document): JsonTree {
  return fields.map(({ name, required }) => (required ? name : `${name}?`));
}

function bodyTree(body: CallBody): JsonTree {
  if (body.kind === 'form')
    return { form: Object.fromEntries(body.fields.map(({ name, text }) => [name, text.source])) };
  if (body.kind === 'document') return body.document.id;
  if (body.kind === 'field') return { field: body.field.name };
  return body.kind === 'raw' ? body.raw : 'none';
}

const flag = (value: boolean): string => (value ? 'Y' : 'N');

/** By the names of specification 4.4. */
function soapProperties(properties: SoapProperties): JsonTree {
  return {
    MTOM: flag(properties.mtom),
    SOAPUpContent: flag(properties.upContent),
    sendUncompressed: flag(!properties.compress),
    PRIMARYURL: properties.primaryUrl?.source,
    SegmentContentType: properties.segmentContentType,
    SegmentContentTransfer: properties.segmentContentTransfer,
  };
}

/** By the names of specification 4.3; only what is said. */
function restProperties(properties: RestProperties): JsonTree {
  const { base64ToBinary, bodyAsBuilt, compress, acceptCompressed, primaryUrl } = properties;
  const tree = {
    Base64toBinary: base64ToBinary ? 'Y' : undefined,
    Disable_URLEncodingBody: bodyAsBuilt || undefined,
    sendUncompressed: compress ? 'N' : acceptCompressed ? undefined : 'Y',
    PRIMARYURL: primaryUrl?.source,
  };
  return Object.values(tree).some((value) => value !== undefined) ? tree : undefined;
}
