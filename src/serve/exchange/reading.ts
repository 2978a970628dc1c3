import { Fault } from '../../model/fault.ts';
import type { Contracts } from '../page/contracts.ts';
import { quote } from '../routes.ts';
import type { Cors } from './cors.ts';
import type { Exchange } from './exchange.ts';
import type { Plain } from './plain.ts';

/** Lets a caller read contracts and the page. @throws Fault UNAUTHENTICATED */
export type Admission = (exchange: Exchange) => Promise<void>;

/** Answers OPTIONS: what a path allows, to a page of another origin too. */
export type TellAllowed = (exchange: Exchange, allowed: readonly string[]) => Response;

/** What stands beside the operations below a connector. */
export interface Beside {
  readonly plain: Plain;
  readonly contracts: Contracts;
  readonly cors: Cors;
  readonly admit: Admission;
  readonly tellAllowed: TellAllowed;
}

/** What the gateway's own paths take, which can be read and nothing else. */
const READING = ['GET', 'HEAD', 'OPTIONS'];

/** Answers a path that can only be read. @throws Fault METHOD_NOT_ALLOWED */
export function read(
  exchange: Exchange,
  tellAllowed: TellAllowed,
  answer: () => Response | Promise<Response>,
): Response | Promise<Response> {
  const { method } = exchange;
  if (method === 'OPTIONS') return tellAllowed(exchange, READING);
  if (READING.includes(method)) return answer();
  const Allow = READING.join(', ');
  throw Fault.of('METHOD_NOT_ALLOWED', { method: quote(method), allowed: Allow }, { headers: { Allow } });
}

/** What sends the contract of a name; undefined where it is no name of one. */
export function findContract(
  { contracts, admit, plain, tellAllowed }: Beside,
  exchange: Exchange,
  name: string,
): (() => Response | Promise<Response>) | undefined {
  const find = name.includes('/') ? undefined : contracts.find(name);
  if (find === undefined) return undefined;
  const send = async (): Promise<Response> => {
    await admit(exchange);
    const contract = await find();
    if (contract === undefined) throw Fault.of('NOT_FOUND', { what: `contract ${quote(name)}` });
    return plain.text(exchange, 200, contract.contentType, contract.text);
  };
  return () => read(exchange, tellAllowed, send);
}
