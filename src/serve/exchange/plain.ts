import { problemText } from '../../binding/rest/problem.ts';
import type { Fault } from '../../model/fault.ts';
import { problemMediaType } from '../../wire/problem.ts';
import type { Recorder } from '../log/record.ts';
import type { Exchange } from './exchange.ts';
import { respondText } from './respond.ts';

/** Answers that belong to no operation. */
export interface Plain {
  text(
    exchange: Exchange,
    status: number,
    contentType: string,
    text: string,
    headers?: Readonly<Record<string, string>>,
  ): Response;
  /** A fault, as problem details. */
  fault(exchange: Exchange, fault: Fault): Response;
}

/** @param record keeps the line of each such reply */
export function createPlain(record: Recorder): Plain {
  const respond = (
    exchange: Exchange,
    status: number,
    given: Readonly<Record<string, string>>,
    text: string,
    fault?: Fault,
  ): Response => {
    const headers = { ...given, 'X-Content-Type-Options': 'nosniff', 'X-Request-Id': exchange.requestId };
    return respondText(exchange, status, headers, text, (bytes, complete) =>
      record(exchange, {
        operation: undefined,
        caller: exchange.caller,
        status,
        bytes,
        complete,
        fault,
      }),
    );
  };
  return {
    text: (exchange, status, contentType, text, headers) =>
      respond(
        exchange,
        status,
        contentType === '' ? { ...headers } : { ...headers, 'Content-Type': contentType },
        text,
      ),
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
