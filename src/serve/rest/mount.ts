import type { Hono } from 'hono';
import { Fault } from '../../model/fault.ts';
import { type Beside, findContract } from '../beside.ts';
import { exchangeOf, type GatewayContext, type GatewayEnv } from '../exchange/exchange.ts';
import { RestConnector, type RestPorts } from './rest.ts';

/** The REST connector, with the contracts that stand beside its services. */
export function mountRest(app: Hono<GatewayEnv>, ports: RestPorts, beside: Beside): void {
  const { context, id, compress } = ports.registry.gateway;
  const rest = new RestConnector(ports);
  const prefix = `/${context}/RESTListeningConnector/`;
  const ofNode = `${id}/`;
  app.all(`${prefix}*`, (c: GatewayContext) => {
    const exchange = exchangeOf(c);
    if (!exchange.path.startsWith(prefix)) throw Fault.of('NOT_FOUND', { what: 'such path' });
    const path = exchange.path.slice(prefix.length);
    // A contract stands right below the connector, or below the local node's name.
    const below = path.startsWith(ofNode) ? path.slice(ofNode.length) : path;
    exchange.cors = beside.cors.headers(exchange, firstSegment(below));
    const contract = findContract(beside, exchange, below, compress.rest);
    if (contract !== undefined) return contract();
    if (exchange.method === 'OPTIONS') return beside.tellAllowed(exchange, rest.allowed(path));
    return rest.serve(exchange, path);
  });
}

function firstSegment(path: string): string {
  const end = path.indexOf('/');
  return end < 0 ? path : path.slice(0, end);
}
