import { type CallRequest, compileRestCall as compileRequest } from '../../binding/call/call.ts';
import { compileRestReply } from '../../binding/reply/reply.ts';
import type { RestConsumer } from '../../model/consumer.ts';
import type { ResolveReference } from '../../model/definition.ts';
import type { Redactor } from '../../model/redactor.ts';
import type { DocumentValue } from '../../model/value.ts';
import { empty } from '../../wire/measured.ts';
import type { Callable, WriteOptions } from '../callable.ts';
import { checking } from '../error.ts';
import { ownHeaders } from '../http/headers.ts';
import { hidingOf, type Outgoing, type Shown } from '../outgoing.ts';
import { type RestCallable, readReply } from './reply.ts';

/** @param namespace of `gateway.yaml` */
export function compileRestCall(operation: RestConsumer, namespace: string): Callable {
  const callable: RestCallable = {
    operation,
    requests: compileRequest(operation, namespace),
    replies: compileRestReply(operation, namespace),
    hide: hidingOf(operation),
  };
  return {
    operation,
    references: (input, { called, uriIndex }) => checking(called, () => callable.requests.references(input, uriIndex)),
    write: (input, options) => writeRequest(callable, input, options),
    read: (raw, ports) => readReply(callable, raw, ports),
  };
}

function writeRequest(
  { operation, requests, hide }: RestCallable,
  input: DocumentValue,
  { called, uriIndex, resolve, redactor }: WriteOptions & { readonly resolve: ResolveReference },
): Outgoing {
  const written = checking(called, () => requests.write(input, { uriIndex, resolve }));
  const { method, uri, content } = written;
  const own = ownHeaders(written.headers, called);
  return {
    method,
    uri,
    headers: { ...own, ...written.headers },
    length: content === undefined ? 0 : content.length,
    text: content?.text,
    bytes: () => content?.bytes() ?? empty(),
    again: content?.again ?? true,
    compress: operation.properties.compress && content !== undefined,
    shown: new ShownCall(written, own, redactor),
    secrets: { secrets: () => written.secrets(), hide },
  };
}

/** A request with secrets masked, built on demand: most calls do not need it. */
class ShownCall implements Shown {
  readonly uri: string;
  readonly #written: CallRequest;
  readonly #own: Readonly<Record<string, string>>;
  readonly #redactor: Redactor;

  constructor(written: CallRequest, own: Readonly<Record<string, string>>, redactor: Redactor) {
    this.uri = written.shown.uri;
    this.#written = written;
    this.#own = own;
    this.#redactor = redactor;
  }

  get headers(): Readonly<Record<string, string>> {
    const { headers, shown } = this.#written;
    return { ...this.#own, ...shownHeaders(headers, shown.headers, this.#redactor) };
  }

  get body(): string | undefined {
    return this.#written.content?.shown();
  }
}

/** Masks headers that are secret by their name, unless only their secret part was masked already. */
function shownHeaders(
  sent: Readonly<Record<string, string>>,
  shown: Readonly<Record<string, string>>,
  redactor: Redactor,
): Record<string, string> {
  const byName = redactor.headers(shown);
  const entries = Object.entries(shown).map(([name, value]) => [name, value === sent[name] ? byName[name] : value]);
  return Object.fromEntries(entries) as Record<string, string>;
}
