import { isAttachment } from '../../codec/binary.ts';
import type { Field, FieldType } from '../../model/field.ts';
import type { Outcome } from '../../model/handler.ts';
import { MASK } from '../../model/mask.ts';
import type { Message, Operation } from '../../model/service.ts';
import type { DocumentValue } from '../../model/value.ts';

/** What the audit log says of a payload where its routing asks for it (`log: full`). */
export interface PayloadWords {
  /** A request as it was decoded. */
  input(value: DocumentValue): unknown;
  /** A reply: its value, or type and length of what streams. */
  output(outcome: Outcome): unknown;
}

/** Characters of one payload; what is beyond is left out, and three points stand there. */
const MOST = 16_384;
const LEFT_OUT = '...';

/** What may still be written. */
interface Budget {
  left: number;
}

/** How documents are told, and which of their fields are not. */
interface Tellers {
  readonly known: Map<object, Teller>;
  readonly isSecret: (field: Field) => boolean;
}

const isMarked = ({ sensitive }: Field): boolean => sensitive;

/** What the package's own services take for prompts and parameters, which only their definitions know to be sensitive. */
const isValue = ({ name, sensitive }: Field): boolean => sensitive || /value$/i.test(name);

type Teller = (value: unknown, budget: Budget) => unknown;

/** Compiles what is masked in the payloads of an operation: fields that are marked `sensitive`, however deep they are. */
export function compilePayload(operation: Operation): PayloadWords {
  const { responses, soap, answer } = operation;
  const tellers: Tellers = { known: new Map(), isSecret: answer.kind === 'delivered' ? isValue : isMarked };
  const input = tellFields(requestFields(operation), tellers);
  const output = tellFields(
    [...responses.flatMap(({ message }) => fieldsOf(message)), ...fieldsOf(soap?.response)],
    tellers,
  );
  return {
    input: (value) => input(value, { left: MOST }),
    output(outcome) {
      if (outcome.kind === 'value') return output(outcome.value, { left: MOST });
      const { contentType, length } = outcome.bytes;
      return { contentType, length };
    },
  };
}

/** All that a request may say, wherever it says it; the same field may be there more than once. */
export function requestFields({ uris, request, requestHeaders, soap }: Operation): readonly Field[] {
  return [
    ...fieldsOf(request),
    ...fieldsOf(soap?.request),
    ...uris.flatMap((uri) => [...uri.variables.map(({ field }) => field), ...uri.body]),
    ...requestHeaders.map(({ field }) => field),
  ];
}

function fieldsOf(message: Message | undefined): readonly Field[] {
  return message?.kind === 'document' ? message.document.fields : [];
}

/** Where a name is that of several fields, it is as secret as the most secret of them. */
function tellFields(fields: readonly Field[], tellers: Tellers): Teller {
  const byName = new Map<string, Teller>();
  for (const field of fields) {
    if (tellers.isSecret(field)) byName.set(field.name, () => MASK);
    else if (!byName.has(field.name)) byName.set(field.name, tellType(field.type, tellers));
  }
  return (value, budget) => (isRecord(value) ? tellRecord(value, byName, budget) : tellAny(value, budget));
}

function tellType(type: FieldType, tellers: Tellers): Teller {
  if (type.kind === 'list') {
    const item = tellType(type.item, tellers);
    return (value, budget) => (Array.isArray(value) ? tellList(value, item, budget) : tellAny(value, budget));
  }
  if (type.kind !== 'document') return tellAny;
  const { document } = type;
  // Compiled when it is first met: a document may hold itself.
  return (value, budget) => {
    let known = tellers.known.get(document);
    if (known === undefined) {
      known = tellFields(document.fields, tellers);
      tellers.known.set(document, known);
    }
    return known(value, budget);
  };
}

/** A value of which nothing is declared. */
function tellAny(value: unknown, budget: Budget): unknown {
  if (typeof value === 'string') return tellText(value, budget);
  if (typeof value === 'bigint') return tellText(String(value), budget);
  if (Array.isArray(value)) return tellList(value, tellAny, budget);
  if (isRecord(value)) return isAttachment(value) ? describe(value) : tellRecord(value, new Map(), budget);
  budget.left -= 5;
  return value;
}

function tellText(text: string, budget: Budget): string {
  const { left } = budget;
  budget.left -= text.length;
  return text.length <= left ? text : text.slice(0, Math.max(left, 0)) + LEFT_OUT;
}

function tellList(list: readonly unknown[], item: Teller, budget: Budget): unknown[] {
  const told: unknown[] = [];
  for (const each of list) {
    if (budget.left <= 0) {
      told.push(LEFT_OUT);
      break;
    }
    budget.left -= 1;
    told.push(item(each, budget));
  }
  return told;
}

function tellRecord(
  record: Readonly<Record<string, unknown>>,
  byName: ReadonlyMap<string, Teller>,
  budget: Budget,
): unknown {
  if (isAttachment(record)) return describe(record);
  const told: [string, unknown][] = [];
  for (const [name, value] of Object.entries(record)) {
    if (budget.left <= 0) {
      told.push([LEFT_OUT, LEFT_OUT]);
      break;
    }
    budget.left -= name.length + 4;
    if (value !== undefined) told.push([name, (byName.get(name) ?? tellAny)(value, budget)]);
  }
  return Object.fromEntries(told);
}

function describe({
  contentType,
  length,
}: {
  readonly contentType: string;
  readonly length?: number | undefined;
}): unknown {
  return { contentType, length };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
