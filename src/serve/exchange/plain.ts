import { problemText } from '../../binding/rest/problem.ts';
import type { Fault } from '../../model/fault.ts';
import type { Coding } from '../../wire/content-coding.ts';
import { problemMediaType } from '../../wire/problem.ts';
import type { Recorder } from '../log/record.ts';
import { compress } from './compress.ts';
import type { Exchange } from './exchange.ts';
import { respondCoded, respondText, type Sent } from './respond.ts';
import { selectCoding } from './select.ts';

/** Answers that belong to no operation. */
export interface Plain {
  text(
    exchange: Exchange,
    status: number,
    contentType: string,
    text: string,
    headers?: Readonly<Record<string, string>>,
  ): Response;
  /** The same where it may be long. */
  document(
    exchange: Exchange,
    contentType: string,
    text: string,
    options: DocumentOptions,
  ): Response | Promise<Response>;
  /** A fault, as problem details. */
  fault(exchange: Exchange, fault: Fault): Response;
}

interface DocumentOptions {
  /** Whether it is compressed for callers who take that. */
  readonly compresses: boolean;
  /** It never changes, so that it is compressed once. */
  readonly isStatic: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Compresses each text once in each coding. */
function createStaticCompress(): typeof compress {
  const known = new Map<string | Uint8Array, Map<Coding, ReturnType<typeof compress>>>();
  return (text, coding) => {
    const inCodings = known.get(text) ?? new Map<Coding, ReturnType<typeof compress>>();
    known.set(text, inCodings);
    const written = inCodings.get(coding) ?? compress(text, coding);
    inCodings.set(coding, written);
    return written;
  };
}

/** @param record keeps the line of each such reply */
export function createPlain(record: Recorder): Plain {
  const compressStatic = createStaticCompress();
  const headersOf = (exchange: Exchange, given: Readonly<Record<string, string>>): Record<string, string> => {
    return { ...given, 'X-Content-Type-Options': 'nosniff', 'X-Request-Id': exchange.requestId };
  };
  const recording =
    (exchange: Exchange, status: number, fault?: Fault): Sent =>
    (bytes, complete) => {
      const { caller } = exchange;
      record(exchange, { operation: undefined, caller, status, bytes, complete, fault });
    };
  const respond = (
    exchange: Exchange,
    status: number,
    given: Readonly<Record<string, string>>,
    text: string,
    fault?: Fault,
  ): Response => respondText(exchange, status, headersOf(exchange, given), text, recording(exchange, status, fault));
  return {
    text: (exchange, status, contentType, text, headers) =>
      respond(
        exchange,
        status,
        contentType === '' ? { ...headers } : { ...headers, 'Content-Type': contentType },
        text,
      ),
    document(exchange, contentType, text, { compresses, isStatic, headers: given }) {
      const headers = headersOf(exchange, { ...given, 'Content-Type': contentType });
      const content = { contentType, length: Buffer.byteLength(text) };
      const coding = compresses ? selectCoding(exchange, headers, content) : undefined;
      const write = isStatic ? compressStatic : compress;
      return respondCoded(exchange, 200, headers, text, recording(exchange, 200), coding, write);
    },
    fault: (exchange, fault) =>
      respond(
        exchange,
        fault.status,
        { ...fault.headers, 'Content-Type': problemMediaType },
        problemText(fault, exchange.requestId),
        fault,
      ),
  };
}
