import type { DraftDocument, DraftField, DraftMessage } from '../draft.ts';
import type { Losses, Place } from '../place.ts';
import type { QName } from '../xml.ts';
import type { SchemaDrafts } from '../xsd/drafts.ts';
import type { BoundMessage } from './binding.ts';
import { type MessagePart, type Part, partsOf, type WsdlParts } from './model.ts';

/** The parts of a message in a binding: those of its body, and its headers. */
export interface SplitMessage {
  readonly body: readonly MessagePart[];
  readonly headers: readonly MessagePart[];
  readonly attachments: readonly Attached[];
  readonly isEncoded: boolean;
  readonly namespace?: string;
  readonly place: Place;
}

/** A part that is beside the envelope, in one of its media types. */
interface Attached {
  readonly part: MessagePart;
  readonly mediaTypes: readonly string[];
}

/** What both readers of messages use. */
export interface MessageSources {
  readonly parts: WsdlParts;
  readonly schemas: SchemaDrafts;
  readonly losses: Losses;
}

/** Divides the parts of a message into body, headers and attachments. */
export function splitMessage(
  { parts, losses }: MessageSources,
  message: Part | undefined,
  bound: BoundMessage,
  place: Place,
): SplitMessage {
  const all = message === undefined ? [] : partsOf(message, losses);
  // References without a prefix mean the target namespace to many tools, whatever the default namespace is.
  const messageNamed = (name: QName): Part | undefined =>
    parts.named('message', name) ?? parts.named('message', { namespace: message?.namespace ?? '', local: name.local });
  const headers = bound.headers.flatMap(({ message: name, part }) => {
    const from = messageNamed(name);
    const found = (from === undefined ? [] : partsOf(from, losses)).find((each) => each.name === part);
    if (found === undefined)
      losses.add(`the header "${part}" of the message "${name.local}" does not exist`, 'left out', place);
    return found === undefined ? [] : [found];
  });
  const isOfBody = ({ name }: MessagePart): boolean => {
    if (bound.attachments.has(name)) return false;
    if (bound.parts !== undefined) return bound.parts.includes(name);
    // A part that is a header is not in the body, even if the binding does not list the parts of the body.
    return !bound.headers.some((each) => each.part === name && messageNamed(each.message) === message);
  };
  const named = [...(bound.parts ?? []), ...bound.attachments.keys()];
  for (const name of bound.parts ?? [])
    if (!all.some((each) => each.name === name))
      losses.add(`the part "${name}" of the Body is not a part of its message`, 'left out', place);
  for (const each of bound.parts === undefined ? [] : all)
    if (!named.includes(each.name) && !bound.headers.some(({ part }) => part === each.name))
      losses.add(`the part "${each.name}", which the binding puts nowhere`, 'left out', each.place);
  const attachments = [...bound.attachments].flatMap(([name, mediaTypes]): Attached[] => {
    const part = all.find((each) => each.name === name);
    if (part === undefined) losses.add(`the attachment "${name}" is not a part of its message`, 'left out', place);
    return part === undefined ? [] : [{ part, mediaTypes }];
  });
  return {
    body: all.filter(isOfBody),
    headers,
    attachments,
    isEncoded: bound.isEncoded,
    ...(bound.namespace === undefined ? {} : { namespace: bound.namespace }),
    place,
  };
}

/** A field for each header, which is its element. */
function headerFields({ schemas, losses }: MessageSources, { headers }: SplitMessage): DraftField[] {
  return headers.flatMap(({ name, element, place }): DraftField[] => {
    if (element === undefined) {
      losses.add(`the header "${name}", which has a type and no element`, 'left out', place);
      return [];
    }
    const document = schemas.element(element, place);
    const options = { header: true, namespace: element.namespace };
    return [{ name: element.local, place, type: { kind: 'document', document }, options }];
  });
}

/** A field for each attachment, whose value is its content: a list of parts is not repeated, and may be left out by senders. */
function attachmentFields({ losses }: MessageSources, { attachments }: SplitMessage): DraftField[] {
  return attachments.map(({ part: { name, element, place }, mediaTypes }) => {
    if (element !== undefined)
      losses.add(`the XML of the attachment "${name}"`, 'its bytes are carried, and not checked', place);
    const types = [...new Set(mediaTypes)];
    const [first = '*/*', ...others] = types;
    const attachment = types.includes('*/*') || types.length === 0 ? true : others.length === 0 ? first : types;
    return { name, place, type: { kind: 'scalar', word: 'binary' }, options: { attachment } };
  });
}

export const ANY_TYPE: QName = { namespace: 'http://www.w3.org/2001/XMLSchema', local: 'anyType' };

/** The message of rpc: a field for each part, and for each header. */
export function rpcMessage(sources: MessageSources, name: string, message: SplitMessage): DraftMessage {
  const fields = message.body.map(({ name: part, type, element, place }): DraftField => {
    if (type === undefined && element !== undefined) {
      return {
        name: part,
        place,
        type: { kind: 'document', document: sources.schemas.element(element, place) },
        options: {},
      };
    }
    return sources.schemas.field(part, type ?? ANY_TYPE, place);
  });
  const beside = [...headerFields(sources, message), ...attachmentFields(sources, message)];
  return madeMessage(name, [...fields, ...beside], message.place, { unqualified: true });
}

/** The message whose body is one element, or nothing. */
export function documentMessage(
  sources: MessageSources,
  name: string,
  message: SplitMessage,
  root: DraftDocument | undefined,
): DraftMessage {
  const beside = [...headerFields(sources, message), ...attachmentFields(sources, message)];
  if (root === undefined) return madeMessage(name, beside, message.place, {});
  if (beside.length === 0) return { kind: 'document', document: root };
  // The type keeps its name for its own document.
  const { 'xml-type': _, ...options } = root.options;
  return {
    kind: 'document',
    document: {
      ...root,
      named: false,
      name,
      options: { xml: root.name, ...options },
      fields: [...root.fields, ...beside],
    },
  };
}

function madeMessage(
  name: string,
  fields: DraftField[],
  place: Place,
  options: DraftDocument['options'],
): DraftMessage {
  if (fields.length === 0) return { kind: 'none' };
  return { kind: 'document', document: { name, place, named: false, options, fields } };
}

/** Whether an element can be around the fields of a message: its type is a sequence of elements (JAX-WS 2.2, section 2.3.1.2). */
export function isWrapper({ choice, fields, extends: base, restricts, options }: DraftDocument): boolean {
  if (choice || base !== undefined || restricts !== undefined || options.abstract || options.open) return false;
  return fields.every(({ options: { attribute, content, any, inline } }) => !(attribute || content || any || inline));
}

/** The key of the element of a message's body; `undefined` when it has none. */
export function bodyElement({ body }: SplitMessage): QName | undefined {
  return body.length === 1 ? body[0]?.element : undefined;
}
