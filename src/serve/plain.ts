import type { Exchange } from './exchange.ts';
import type { Recorder } from './record.ts';
import { respondText } from './respond.ts';

/** Answers with a text that belongs to no operation. */
export type Plain = (
  exchange: Exchange,
  status: number,
  contentType: string,
  text: string,
  headers?: Readonly<Record<string, string>>,
) => Response;

/** @param record keeps the line of each such reply */
export function createPlain(record: Recorder): Plain {
  return (exchange, status, contentType, text, extra) => {
    const headers: Record<string, string> = {
      ...extra,
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': exchange.requestId,
    };
    if (contentType !== '') headers['Content-Type'] = contentType;
    return respondText(exchange, status, headers, text, (bytes, complete) =>
      record(exchange, { operation: undefined, user: undefined, status, bytes, complete }),
    );
  };
}
