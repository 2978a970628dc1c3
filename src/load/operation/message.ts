import type { Document } from '../../model/document.ts';
import type { MediaMessage, Message, RawKind } from '../../model/service.ts';
import type { InPlaceDeclared, MessageDeclared } from '../declared.ts';
import type { Place } from '../diagnostic/diagnostic.ts';
import type { DocumentSource } from '../document/field-type.ts';
import { RAW_WORDS } from '../schema/index.ts';
import type { OperationSpot } from './spot.ts';

/** What a message without a document is sent as. */
export const MEDIA_TYPES: Readonly<Record<RawKind, string>> = {
  json: 'application/json',
  xml: 'application/xml',
  text: 'text/plain',
  binary: 'application/octet-stream',
};

const isRaw = (word: string): word is RawKind => RAW_WORDS.includes(word as RawKind);

const NONE: Message = { kind: 'none' };

/** What an operation's `request` says; undefined where that can't be told, or it names a document that can't be used. */
export function linkRequest(source: DocumentSource, spot: OperationSpot): Message | undefined {
  const found = spot.inherited('request');
  if (found === undefined) return spot.lacks('request') ? undefined : NONE;
  return linkMessage(source, found.value as MessageDeclared, `${spot.id}_REQUEST`, found.at, 'the request');
}

/** What an operation's `response` says, the default first; undefined where a part of it can't be used. */
export function linkResponses(source: DocumentSource, spot: OperationSpot): MediaMessage[] | undefined {
  const found = spot.inherited('response');
  const id = `${spot.id}_RESPONSE`;
  if (found === undefined) return spot.lacks('response') ? undefined : forms(NONE);
  const { value, at } = found;
  if (typeof value === 'string' || 'fields' in value) {
    const message = linkMessage(source, value as MessageDeclared, id, at, 'the response');
    return message === undefined ? undefined : forms(message);
  }
  const given = value as Readonly<Record<string, MessageDeclared>>;
  const above = spot.above('response');
  const all = isMediaMap(above) ? { ...above, ...given } : given;
  const listed = Object.entries(all).map(([mediaType, each]) => {
    const own = mediaType in given ? given : (above as object);
    const place = source.linking.places.value(own, mediaType);
    const message = linkMessage(
      source,
      each,
      `${id}_${mediaType.replace(/[^A-Za-z0-9]+/g, '_')}`,
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
  source: DocumentSource,
  spot: OperationSpot,
  key: 'fault' | 'template',
): Document | undefined {
  const found = spot.inherited(key);
  if (found === undefined || found.value === 'none') return undefined;
  const { value, at } = found;
  if (typeof value === 'string') return findDocument(source, value, at, []);
  return source.inPlace(`${spot.id}_${key.toUpperCase()}`, value as InPlaceDeclared, at);
}

/** The document of a message; `unknown` where the message is. */
export function documentOf(message: Message | undefined): Document | undefined | 'unknown' {
  if (message === undefined) return 'unknown';
  return message.kind === 'document' ? message.document : undefined;
}

/** The document that `template:` names for URI variables; `unknown` where it can't be used. */
export function linkTemplateDocument(source: DocumentSource, spot: OperationSpot): Document | undefined | 'unknown' {
  const said = spot.inherited('template')?.value ?? 'none';
  return said === 'none' ? undefined : (linkDocument(source, spot, 'template') ?? 'unknown');
}

function linkMessage(
  source: DocumentSource,
  value: MessageDeclared,
  id: string,
  at: Place,
  what: string,
): Message | undefined {
  if (typeof value === 'object') return { kind: 'document', document: source.inPlace(id, value, at) };
  if (value === 'none') return NONE;
  if (isRaw(value)) return { kind: 'raw', raw: value };
  if (/^list\s+of\s/.test(value)) {
    source.linking.report.raise('root-list', { what }, at);
    return undefined;
  }
  const document = findDocument(source, value, at, ['none', ...RAW_WORDS]);
  return document === undefined ? undefined : { kind: 'document', document };
}

function findDocument(source: DocumentSource, id: string, at: Place, words: readonly string[]): Document | undefined {
  const document = source.find(id);
  const { report, declared } = source.linking;
  if (document === undefined && !declared.isSetAside('document', id)) {
    const known = [...declared.of('document').keys(), ...words];
    report.raise('unknown-reference', { what: 'document', id, known }, at);
  }
  return document;
}
