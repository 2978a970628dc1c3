import { Fault } from '../../model/fault.ts';
import type { Operation } from '../../model/service.ts';
import type { DocumentValue } from '../../model/value.ts';
import type { Caller } from '../../security/port.ts';
import type { Exchange } from './exchange.ts';

/**
 * Whether a call writes.
 * @param input its request; `undefined` before that was read, when only an operation that writes always is known to
 */
export function isWrite({ writes }: Operation, input?: DocumentValue): boolean {
  if (typeof writes === 'boolean') return writes;
  return input !== undefined && writes.some(({ field, value }) => input[field.name] === value);
}

/**
 * Refuses a write that a page of another origin has a browser send with credentials that the browser adds by itself: a password that
 * it keeps, a certificate. CORS alone does not, as a POST without a content type is sent without a preflight, and only its
 * reply is kept from the page. Keys and tokens are sent by who knows them alone.
 * @throws Fault FORBIDDEN
 */
export function refuseCrossSite(exchange: Exchange, caller: Caller | undefined, { id }: Operation): void {
  const kind = caller?.scheme.kind;
  if (kind !== 'basic' && kind !== 'client-certificate') return;
  if (!isCrossSite(exchange) || exchange.cors?.['Access-Control-Allow-Origin'] !== undefined) return;
  const reason = 'a page of an origin that cors does not list';
  throw Fault.of('FORBIDDEN', { user: 'A page of another origin', what: `operation ${id}` }, { reason });
}

/**
 * Whether a browser sends it for a page of another origin: by Sec-Fetch-Site (W3C Fetch Metadata section 2.1), which they add
 * where they trust the address, or else by Origin, which they add to whatever is not safe. Others add neither.
 */
function isCrossSite(exchange: Exchange): boolean {
  const site = exchange.header('sec-fetch-site');
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const origin = exchange.header('origin');
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== exchange.header('host')?.toLowerCase();
}
