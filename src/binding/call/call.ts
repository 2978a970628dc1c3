import { CodecError } from '../../codec/index.ts';
import { carryDigits } from '../../codec/json/digits.ts';
import { textsIn } from '../../codec/redact/declared.ts';
import { setMember, unknownField } from '../../codec/value.ts';
import type { CallText, RestConsumer } from '../../model/consumer.ts';
import type { ConfigText, ResolveReference } from '../../model/definition.ts';
import type { Field } from '../../model/field.ts';
import { type OperationUri, serviceNamespace } from '../../model/service.ts';
import type { DocumentValue } from '../../model/value.ts';
import { compileCallBody } from './body.ts';
import type { CallContent } from './content.ts';
import { compileCallHeaders } from './headers.ts';
import { compileCallUri } from './uri.ts';
import { compileValues, type HeldOf } from './values.ts';

/** The request of one call, independent of the target's address. */
export interface CallRequest {
  readonly method: string;
  /** The URI relative to the address, without a leading slash. */
  readonly uri: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: CallContent | undefined;
  /** The same for display: secrets are masked, pending values are named. */
  readonly shown: {
    readonly uri: string;
    readonly headers: Readonly<Record<string, string>>;
  };
  /** The secret values it contains, so they can be masked if the target repeats them. */
  secrets(): Iterable<string>;
}

/** One consumer operation's requests, compiled once: requests are written by it. */
export interface RestCallBinding {
  /**
   * Configuration that a request with this input refers to.
   * @param uriIndex which of the operation's URI templates, from 1
   * @throws CodecError for an unknown index
   */
  references(input: DocumentValue, uriIndex: number): readonly ConfigText[];
  /** @throws CodecError naming the field, when the input does not fit */
  write(input: DocumentValue, options: { readonly uriIndex: number; readonly resolve: ResolveReference }): CallRequest;
}

/** Everything that requests by one URI need. */
interface Writer {
  references(input: DocumentValue): readonly ConfigText[];
  write(input: DocumentValue, resolve: ResolveReference): CallRequest;
}

/** Compiles an operation. `namespace`: of `gateway.yaml`. */
export function compileRestCall(operation: RestConsumer, namespace: string): RestCallBinding {
  const { uris } = operation;
  const writers = new Map(uris.map((uri) => [uri.index, compileWriter(operation, uri, namespace)]));
  const writerOf = (index: number): Writer => {
    const found = writers.get(index);
    if (found !== undefined) return found;
    const known = uris.length === 1 ? 'there is only 1' : `they are 1 to ${uris.length}`;
    throw new CodecError(`URI index ${index}`, `does not exist in ${operation.id}: ${known}`);
  };
  return {
    references: (input, uriIndex) => writerOf(uriIndex).references(input),
    write: (input, { uriIndex, resolve }) => writerOf(uriIndex).write(input, resolve),
  };
}

function compileWriter(operation: RestConsumer, uri: OperationUri, namespace: string): Writer {
  const { method, headers, body } = operation;
  const values = compileValues(operation);
  const writeUri = compileCallUri(operation, uri, values.missing);
  const writeHeaders = compileCallHeaders(operation);
  const bodyWriter = compileCallBody(operation, uri, values, serviceNamespace(operation.service, namespace));
  const texts = [...headers, ...(body.kind === 'form' ? body.fields : [])].map(({ text }) => text);
  const used = new Set([...uri.variables.map(({ field }) => field), ...texts.flatMap(fieldsOf), ...bodyWriter.fields]);
  const usedNames = new Set([...used, ...values.behind(used)].map(({ name }) => name));
  const required = operation.input.fields.filter((field) => field.required && usedNames.has(field.name));
  const configs = compileConfigs();
  const configured = texts.flatMap((text) => {
    const config = configs(text);
    return config === undefined ? [] : [{ config, fields: fieldsOf(text) }];
  });
  const fillable = values.filling(used, {}).length > 0;
  const undeclaredIn = compileInputCheck(operation, uri, usedNames, bodyWriter.open);
  return {
    references(input) {
      const made = configured.filter(({ fields }) => fields.every((field) => values.isGiven(field, input)));
      const filling = fillable ? values.filling(used, input).flatMap((text) => configs(text) ?? []) : [];
      return [...made.map(({ config }) => config), ...filling];
    },
    write(input, resolve) {
      const undeclared = undeclaredIn(input);
      const secrets = new Set<string>();
      const noting: ResolveReference = (reference) => {
        const text = resolve(reference);
        if (reference.kind === 'secret') secrets.add(text);
        return text;
      };
      const heldOf = values.open(input, noting);
      for (const field of required) if (heldOf(field) === undefined) throw values.missing(field);
      const { uri: target, shown } = writeUri(heldOf);
      const content = bodyWriter.write({ heldOf, resolve: noting, undeclared });
      const written = writeHeaders(heldOf, noting, content);
      return {
        method,
        uri: target,
        headers: written.headers,
        content,
        shown: { uri: shown, headers: written.shown },
        *secrets() {
          yield* secrets;
          for (const field of used) yield* sensitiveIn(field, heldOf);
          if (content !== undefined) yield* content.secrets();
        },
      };
    },
  };
}

/**
 * Rejects undeclared names, and values that would not be sent.
 * @param open the body accepts undeclared names, which are returned
 */
function compileInputCheck(
  { input: document, uris }: RestConsumer,
  { index }: OperationUri,
  used: ReadonlySet<string>,
  open: boolean,
): (input: DocumentValue) => DocumentValue {
  const declared = new Set(document.fields.map(({ name }) => name));
  return (input) => {
    const undeclared: Record<string, DocumentValue[string]> = {};
    for (const name of Object.keys(input)) {
      if (used.has(name)) continue;
      const value = input[name];
      if (value === undefined || value === null) continue;
      if (declared.has(name)) {
        const of = uris.length === 1 ? 'the request' : `the request of URI index ${index}`;
        throw new CodecError(name, `has no place in ${of}`);
      }
      if (!open) throw unknownField(document, name, declared);
      setMember(undeclared, name, value);
    }
    return carryDigits(input, undeclared);
  };
}

function fieldsOf({ parts }: CallText): Field[] {
  return parts.flatMap((part) => (part.kind === 'value' ? [part.field] : []));
}

/** What texts take from configuration, `undefined` when that is nothing: the same for the same text, so that it is looked up once. */
function compileConfigs(): (text: CallText) => ConfigText | undefined {
  const known = new Map<CallText, ConfigText | undefined>();
  return (text) => {
    if (known.has(text)) return known.get(text);
    const parts = text.parts.filter((part) => part.kind === 'env' || part.kind === 'secret');
    const config = parts.length === 0 ? undefined : { source: text.source, parts };
    known.set(text, config);
    return config;
  };
}

function sensitiveIn(field: Field, heldOf: HeldOf): Iterable<string> {
  const held = heldOf(field);
  return held === undefined || held.pending || held.shown === undefined ? [] : textsIn(held.value);
}
