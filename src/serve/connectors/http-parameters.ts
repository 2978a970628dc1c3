import { Fault } from '../../model/fault.ts';
import { percentDecode } from '../../wire/percent.ts';
import { parseQueryString } from '../../wire/query-string.ts';
import { type Exchange, readingQuery } from '../exchange/exchange.ts';
import type { Said } from './http-form.ts';

/** Names by which headers, the query string and the fields of a form describe a message. */
export const NAMES: Readonly<Record<keyof Said, readonly string[]>> = {
  operationName: ['OperationName', 'Operation'],
  operationType: ['OperationType'],
  from: ['From'],
  to: ['To'],
};

/** Whether the URL of a request to the services connector contains parameters of the HTTP connector. */
export function saysInQuery({ query = '' }: Exchange): boolean {
  return /(?:^|&)(?:Operation|OperationName|OperationType|From|To)=/.test(query);
}

/**
 * Merges the facts of headers and the query string with those of the message itself.
 * @throws Fault BAD_REQUEST when they contradict each other; TOO_MANY_PARAMETERS, BAD_ENCODING
 */
export function withOuter(inner: Said, exchange: Exchange, limit: number): Said {
  const query = readingQuery(limit, () => parseQueryString(exchange.query ?? '', limit));
  const said: Saying = { ...inner };
  for (const [key, names] of Object.entries(NAMES) as [keyof Said, readonly string[]][])
    for (const name of names) {
      note(said, key, exchange.header(name.toLowerCase())?.trim() ?? '');
      for (const raw of query.get(name) ?? [])
        note(
          said,
          key,
          readingQuery(limit, () => percentDecode(raw, true)),
        );
    }
  return said;
}

export type Saying = { -readonly [key in keyof Said]: Said[key] };

/** Ignores an empty value. @throws Fault BAD_REQUEST when a different value is already known */
export function note(said: Saying, key: keyof Said, value: string): void {
  if (value === '') return;
  if (said[key] !== undefined && said[key] !== value)
    throw Fault.of('BAD_REQUEST', { reason: `it has two different values for ${NAMES[key][0]}` });
  said[key] = value;
}
