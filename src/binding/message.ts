import { CodecError, type Step } from '../codec/index.ts';
import { everyField } from '../model/derivation.ts';
import type { Document } from '../model/document.ts';
import { type ErrorPlace, Fault, MAX_ERRORS } from '../model/fault.ts';
import { type Field, type FieldType, singleType } from '../model/field.ts';
import type { ReplyForm } from '../model/service.ts';
import type { DocumentValue, Value } from '../model/value.ts';
import { jsonPointer } from '../wire/json-pointer.ts';
import { MultipartError } from '../wire/multipart/read-multipart.ts';
import { XopError } from '../wire/soap/xop.ts';
import { XmlError } from '../wire/xml/read-xml.ts';

/** The key of the content in the value of a message without a document. */
export const CONTENT = 'content';

/** How a reply is written; `soap` in an envelope. */
export type Format = ReplyForm['format'] | 'soap';

/**
 * Runs a codec's reader of a single value; converts its error to the fault that names the parameter.
 * @param at its place in the request
 */
export function guard<T, R>(label: string, read: (from: T) => R, from: T, at: ErrorPlace = {}): R {
  try {
    return read(from);
  } catch (error) {
    if (error instanceof CodecError) throw Fault.of('BAD_PARAMETER', { name: label, reason: error.reason }, { at });
    throw error;
  }
}

/**
 * The same for a whole message: an error about all of it becomes one about the body, other errors name their place, and
 * several become one fault.
 * @param placeOf the place of an error in the request; by default that in a body of this document
 */
export function reading<T>(read: () => T, document?: Document, placeOf = placeIn(document)): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    throw Fault.together([error, ...error.others].map((each) => faultOf(each, placeOf(each))));
  }
}

function faultOf({ steps, path, reason }: CodecError, at: ErrorPlace): Fault {
  if (steps.length === 0) return Fault.of('BAD_BODY', { reason: `it ${reason}` }, { at });
  return Fault.of('BAD_PARAMETER', { name: path, reason }, { at });
}

/** The place of an error in a body of a document. */
export function placeIn(document: Document | undefined): (error: CodecError) => ErrorPlace {
  return ({ steps, label }) => ({
    pointer: pointerOf(label === undefined ? steps : [{ key: label }, ...steps], document),
  });
}

/** Longest key of a caller that a pointer repeats, in characters; where one is longer, the pointer ends before it. */
const LONGEST_KEY = 200;

/**
 * The pointer to a place.
 * @param root the document that has the outermost field: names in JSON are taken from it
 */
function pointerOf(steps: readonly Step[], root: Document | undefined): string {
  const tokens: (string | number)[] = [];
  let document = root;
  for (const [index, step] of steps.entries()) {
    // In JSON the content of a list or a single value is the whole body.
    if (index === 0 && root?.bare === true) {
      document = documentOf((root.fields[0] as Field).type);
      continue;
    }
    // Nor does JSON have the name of a branch, unless the choice is named.
    const isHidden = document?.choice !== undefined && !document.choice.named;
    const branch = isHidden ? document?.fields.find((each) => each.name === step) : undefined;
    if (branch !== undefined) {
      document = documentOf(branch.type);
      continue;
    }
    const name = typeof step === 'object' ? step.key : step;
    if (typeof name === 'string' && name.length > LONGEST_KEY) break;
    const fields = document === undefined ? [] : everyField(document);
    const field = typeof step === 'string' ? fields.find((each) => each.name === step) : undefined;
    tokens.push(field?.jsonName ?? name);
    if (field !== undefined) document = documentOf(field.type);
  }
  return jsonPointer(tokens);
}

function documentOf(type: FieldType): Document | undefined {
  const inner = singleType(type);
  return inner.kind === 'document' ? inner.document : undefined;
}

/** The errors of one request, gathered from its parts so that they are reported together. */
export class RequestErrors {
  readonly #faults: Fault[] = [];

  /** @throws what was thrown, unless it is a fault about values of the request; all errors, once there are {@link MAX_ERRORS} */
  add(thrown: unknown): this {
    if (!(thrown instanceof Fault) || thrown.errors.length === 0) throw thrown;
    this.#faults.push(thrown);
    if (this.#faults.length >= MAX_ERRORS) throw this.fault();
    return this;
  }

  /** Whether an error is about this place, or something inside it. */
  has({ pointer, parameter, header }: ErrorPlace): boolean {
    return this.#faults.some(({ errors }) =>
      errors.some((each) => {
        if (pointer === undefined) return each.parameter === parameter && each.header === header;
        return each.pointer === '#' || each.pointer === pointer || each.pointer?.startsWith(`${pointer}/`) === true;
      }),
    );
  }

  fault(): Fault {
    return Fault.together(this.#faults);
  }

  throwIfAny(): void {
    if (this.#faults.length > 0) throw this.fault();
  }
}

/**
 * A message whose values have been read, checked as a whole.
 * @param check throws a CodecError for what is missing
 * @param errors of values that could not be read, which are not missing
 * @param placeOf the place of what is missing; `undefined` if whether it was given is not known
 * @throws Fault with all errors
 */
export function completed(
  values: Record<string, Value>,
  check: (given: Readonly<Record<string, Value>>) => DocumentValue,
  errors: RequestErrors | undefined,
  placeOf: (missing: CodecError) => ErrorPlace | undefined,
): DocumentValue {
  let complete: DocumentValue;
  try {
    complete = check(values);
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    const all = errors ?? new RequestErrors();
    for (const each of [error, ...error.others]) {
      const at = placeOf(each);
      if (at !== undefined && !all.has(at)) all.add(faultOf(each, at));
    }
    throw all.fault();
  }
  if (errors !== undefined) throw errors.fault();
  return complete;
}

/** The fault for an error in a message's wire form; other errors are returned as they are. */
export function asFault(error: unknown): unknown {
  if (error instanceof XmlError) return badBody(`its XML is wrong: ${error.message}`);
  if (error instanceof MultipartError) return badBody(`its parts are wrong: ${error.reason}`);
  if (error instanceof XopError) return badBody(error.reason);
  return error;
}

/** Runs a reader and converts its errors to faults. */
export function speaking<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw asFault(error);
  }
}

/** A body that is not valid as a whole. */
export function badBody(reason: string): Fault {
  return Fault.of('BAD_BODY', { reason }, { at: { pointer: '#' } });
}
