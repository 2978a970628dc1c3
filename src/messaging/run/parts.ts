import { compileMasked, compileSecrets } from '../../codec/redact/declared.ts';
import { MASK, type Redactor } from '../../model/redactor.ts';
import type { Registry } from '../../model/registry.ts';
import type { Message, Operation } from '../../model/service.ts';
import type { DocumentValue, JsonValue } from '../../model/value.ts';
import type { Db, ReadableBlobs } from '../../store/index.ts';
import { empty } from '../../wire/measured.ts';
import { compileInput } from './input.ts';
import { type ShownPayload, showPayload } from './mask.ts';
import { compilePayload, messageFields, unpack } from './payload.ts';
import { sentFields, showRecorded, WHOLE } from './recorded.ts';
import { laterPartOf, replyMessage } from './reply.ts';
import { type MessageRow, REPLY_TO, REQUEST } from './store.ts';

interface PartPorts {
  readonly registry: Registry;
  /** Without them, parts that are blobs are left out. */
  readonly blobs: ReadableBlobs | undefined;
  readonly redactor: Redactor;
}

/** The parts of the content of a message or of a recorded call, without secrets, by their names. */
export async function showParts(
  db: Db,
  { registry, blobs, redactor }: PartPorts,
  { id: message, operation, queue }: Pick<MessageRow, 'id' | 'operation' | 'queue'>,
): Promise<Readonly<Record<string, JsonValue>>> {
  const rows = await db
    .selectFrom('signalbox_message_content')
    .select('part')
    .where('message', '=', message)
    .orderBy('part')
    .execute();
  const parts: Record<string, JsonValue> = {};
  // An attachment is described where it is in the request.
  for (const { part } of rows.filter((row) => !/\.\d+$/.test(row.part))) {
    const text = await readText(db, blobs, message, part);
    if (text === undefined) continue;
    if (queue === null) parts[part] = showRecorded(registry, operation, part, text, redactor);
    else parts[part] = shownPart(messageOf(registry, operation, part), text, redactor).value;
    if (queue !== null && part === REQUEST)
      Object.assign(parts, await shownInputs(db, registry, { message, operation, text }, redactor));
  }
  return parts;
}

/** The text of a part of the content of a message; `undefined` when it is not kept. */
export async function readText(
  db: Db,
  blobs: ReadableBlobs | undefined,
  message: string,
  part: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('signalbox_message_content')
    .select(['encoding', 'content', 'blob', 'size'])
    .where('message', '=', message)
    .where('part', '=', part)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  if (row.content !== null) return unpack(row.encoding, row.content, Number(row.size)).toString();
  const blob = await blobs?.get(row.blob ?? '');
  if (blob === undefined) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of blob.stream()) chunks.push(chunk);
  return unpack(row.encoding, Buffer.concat(chunks), Number(row.size)).toString();
}

/** What the calls of subscriptions are given of a message: `sent.` and the id of the subscription. */
async function shownInputs(
  db: Db,
  { operations, subscriptions }: Registry,
  { message, operation: id, text }: { readonly message: string; readonly operation: string; readonly text: string },
  redactor: Redactor,
): Promise<Readonly<Record<string, JsonValue>>> {
  const operation = operations.get(id);
  const value = operation && readValue(operation, text);
  if (operation === undefined || value === undefined) return {};
  const rows = await db
    .selectFrom('signalbox_delivery')
    .select('subscription')
    .distinct()
    .where('message', '=', message)
    .execute();
  const knowing = redactor.knowing({ secrets: () => compileSecrets(messageFields(operation))?.(value) ?? [] });
  const shown = rows.flatMap(({ subscription }): [string, JsonValue][] => {
    const target = subscriptions.get(subscription)?.target;
    if (target?.kind !== 'call') return [];
    const { call, input } = target;
    const mask = compileMasked('steps' in call ? call.input.fields : sentFields(call));
    return [[`sent.${subscription}`, knowing.value(mask(compileInput(input)(value), WHOLE)) as JsonValue]];
  });
  return Object.fromEntries(shown);
}

/** `undefined` for a message of other definitions. */
function readValue(operation: Operation, text: string): DocumentValue | undefined {
  try {
    return compilePayload(operation).read(text, (described) => ({ ...described, stream: empty }));
  } catch {
    return undefined;
  }
}

/** A part of which it is not known what it is may be text that is not JSON. */
function shownPart(message: Message | undefined, text: string, redactor: Redactor): Pick<ShownPayload, 'value'> {
  try {
    return showPayload(message, text, redactor);
  } catch {
    return { value: MASK };
  }
}

function messageOf(registry: Registry, operation: string, part: string): Message | undefined {
  const defined = registry.operations.get(operation);
  if (part === REQUEST) return defined?.request;
  const answer = defined?.answer.kind === 'queue' ? defined.answer : undefined;
  if (part === 'reply') return answer?.reply;
  const later = laterPartOf(part);
  const isJson = part === REPLY_TO ? answer?.replyTo && !answer.replyTo.field?.sensitive : part === 'fault';
  if (isJson || later?.kind === 'fault') return { kind: 'raw', raw: 'json' };
  const target = later && registry.subscriptions.get(later.subscription)?.target;
  return target?.kind === 'call' && !('steps' in target.call) ? replyMessage(target.call) : undefined;
}
