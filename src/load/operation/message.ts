import type { Document } from '../../model/document.ts';
import { type MediaMessage, type Message, RAW_KINDS, type RawKind } from '../../model/service.ts';
import type { Place } from '../diagnostic/place.ts';
import { type DerivedName, derivedName } from '../document/derived-name.ts';
import type { Documents } from '../document/documents.ts';
import type { InPlaceDeclared } from '../schema/field.ts';
import type { MessageDeclared } from '../schema/operation.ts';
import type { OperationSpot } from './spot.ts';

/** What a message without a document is sent as. */
export const MEDIA_TYPES: Readonly<Record<RawKind, string>> = {
  json: 'application/json',
  xml: 'application/xml',
  text: 'text/plain',
  binary: 'application/octet-stream',
};

const isRaw = (word: string): word is RawKind => RAW_KINDS.includes(word as RawKind);

const NONE: Message = { kind: 'none' };

/** What an operation's `request` says; undefined where that can't be told, or it names a document that can't be used. */
export function linkRequest(documents: Documents, spot: OperationSpot): Message | undefined {
  const found = spot.inherited('request');
  if (found === undefined) return spot.lacks('request') ? undefined : NONE;
  return linkMessage(documents, found.value as MessageDeclared, derivedName(spot, 'REQUEST'), found.at, 'the request');
}

/** What an operation's `response` says, the default first; undefined where a part of it can't be used. */
export function linkResponses(documents: Documents, spot: OperationSpot): MediaMessage[] | undefined {
  const found = spot.inherited('response');
  const own = derivedName(spot, 'RESPONSE');
  if (found === undefined) return spot.lacks('response') ? undefined : forms(NONE);
  const { value, at } = found;
  if (typeof value === 'string' || 'fields' in value) {
    const message = linkMessage(documents, value as MessageDeclared, own, at, 'the response');
    return message === undefined ? undefined : forms(message);
  }
  const given = value as Readonly<Record<string, MessageDeclared>>;
  const above = spot.above('response');
  const all = isMediaMap(above) ? { ...above, ...given } : given;
  const listed = Object.entries(all).map(([mediaType, each]) => {
    const holder = mediaType in given ? given : (above as object);
    const place = documents.linking.places.value(holder, mediaType);
    const message = linkMessage(
      documents,
      each,
      derivedName(own, mediaType.replace(/[^A-Za-z0-9]+/g, '_')),
      place,
      'the response',
    );
    return message === undefined ? undefined : { mediaType, message };
  });
  return listed.includes(undefined) ? undefined : (listed as MediaMessage[]);
}

function isMediaMap(value: unknown): value is Readonly<Record<string, MessageDeclared>> {
  return typeof value === 'object' && value !== null && !('fields' in value);
}

/** The media types that a reply has where the operation names none: a document has a JSON and an XML form. */
export function forms(message: Message): MediaMessage[] {
  if (message.kind === 'raw') return [{ mediaType: MEDIA_TYPES[message.raw], message }];
  return [
    { mediaType: 'application/json', message },
    { mediaType: 'application/xml', message },
  ];
}

/** `fault:` or `template:`: a document; undefined where there is none. */
export function linkDocument(
  documents: Documents,
  spot: OperationSpot,
  key: 'fault' | 'template',
): Document | undefined {
  const found = spot.inherited(key);
  if (found === undefined || found.value === 'none') return undefined;
  const { value, at } = found;
  if (typeof value === 'string') return documents.resolve(value, at);
  return documents.inPlace(derivedName(spot, key.toUpperCase()), value as InPlaceDeclared, at);
}

/** The document that `template:` names for URI variables; `unknown` where it can't be used. */
export function linkTemplateDocument(documents: Documents, spot: OperationSpot): Document | undefined | 'unknown' {
  const said = spot.inherited('template')?.value ?? 'none';
  return said === 'none' ? undefined : (linkDocument(documents, spot, 'template') ?? 'unknown');
}

function linkMessage(
  documents: Documents,
  value: MessageDeclared,
  derived: DerivedName,
  at: Place,
  what: string,
): Message | undefined {
  if (typeof value === 'object') return { kind: 'document', document: documents.inPlace(derived, value, at) };
  if (value === 'none') return NONE;
  if (isRaw(value)) return { kind: 'raw', raw: value };
  if (/^list\s+of\s/.test(value)) {
    documents.linking.report.raise('root-list', { what }, at);
    return undefined;
  }
  const document = documents.resolve(value, at, ['none', ...RAW_KINDS]);
  return document === undefined ? undefined : { kind: 'document', document };
}
