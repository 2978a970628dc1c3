import { Fault } from '../../model/fault.ts';
import { parseQueryString } from '../../wire/query-string.ts';
import { quote } from '../../wire/words.ts';
import { type Exchange, type Mounts, readingQuery } from '../exchange/exchange.ts';
import { methodNotAllowed } from '../exchange/refuse.ts';
import { INSPECTION } from '../page/contracts.ts';
import { findContract, type PlainRoutes } from '../plain-routes.ts';
import type { RestPorts } from '../rest/rest.ts';
import type { Entrance } from './connector-port.ts';
import { Connectors, type ConnectorsPorts } from './connectors.ts';
import { httpEntrance, POSTING } from './http-connector.ts';
import { saysInQuery } from './http-parameters.ts';
import { soapEntrance } from './soap.ts';
import { compileSoapRoutes } from './soap-routes.ts';

/** The SOAP services connector, with the contracts of its services, and the HTTP connector. */
export function mountMessages(
  app: Mounts,
  ports: Omit<ConnectorsPorts, 'cors'> & RestPorts,
  plainRoutes: PlainRoutes,
): void {
  const { registry, operations } = ports;
  const connectors = new Connectors({ ...ports, cors: plainRoutes.cors });
  const routes = compileSoapRoutes(operations);
  const soap = soapEntrance(registry, routes);
  const ofService = new Map<string, Entrance>();
  /** The entrance of one service: partners' contracts may have the same elements at several addresses. */
  const entranceOf = (id: string): Entrance | undefined => {
    const known = ofService.get(id);
    if (known !== undefined || !registry.services.has(id)) return known;
    const own = [...operations].filter(([{ service }]) => service.id === id);
    const entrance = soapEntrance(registry, compileSoapRoutes(new Map(own)));
    ofService.set(id, entrance);
    return entrance;
  };
  const named = httpEntrance(registry, routes, 'services');
  mount(app, ports, plainRoutes, 'PeopleSoftServiceListeningConnector', (exchange, below) => {
    const name = contractName(exchange, below, ports);
    if (typeof name !== 'string') {
      // The list names services, as contracts do.
      return plainRoutes.admit(exchange).then(() => {
        throw name;
      });
    }
    // Some clients that can't read compressed messages fetch contracts here.
    const contract = findContract(plainRoutes, exchange, name, registry.gateway.compress.soap);
    const entrance = saysInQuery(exchange) ? named : soap;
    // Clients that read a WSDL from the original gateway post to its address, because that is the address in it.
    if (exchange.method === 'POST' && contract !== undefined && /\.wsdl$/i.test(name))
      return connectors.serve(exchange, entrance);
    const service = exchange.method === 'POST' && entrance === soap ? entranceOf(name) : undefined;
    if (service !== undefined) return connectors.serve(exchange, service);
    return contract === undefined ? serve(exchange, below, connectors, entrance, plainRoutes, POSTING) : contract();
  });
  const http = httpEntrance(registry, routes, 'http');
  mount(app, ports, plainRoutes, 'HttpListeningConnector', (exchange, below) => {
    const asks = exchange.query !== undefined || exchange.header('operationname') !== undefined;
    return serve(exchange, below, connectors, http, plainRoutes, asks ? ['GET', 'HEAD', ...POSTING] : POSTING);
  });
}

/** @param answer gets the path below the connector and the local node, if the path names it */
function mount(
  app: Mounts,
  { registry: { gateway, nodes } }: Pick<ConnectorsPorts, 'registry'>,
  { cors }: PlainRoutes,
  connector: string,
  answer: (exchange: Exchange, below: string) => Response | Promise<Response>,
): void {
  const prefix = `/${gateway.context}/${connector}`;
  app.connect(connector, (exchange) => {
    const { path } = exchange;
    exchange.route = prefix;
    if (path !== prefix && !path.startsWith(`${prefix}/`)) throw Fault.of('NOT_FOUND', { what: 'such path' });
    const [first = '', ...rest] = path.slice(prefix.length + 1).split('/');
    if (nodes.has(first) && first !== gateway.id)
      throw Fault.of('NOT_FOUND', { what: `node ${first} here: this gateway is node ${gateway.id}` });
    const below = first === gateway.id ? rest.join('/') : path.slice(prefix.length + 1);
    // A slash at the end does not count.
    const named = below.endsWith('/') ? below.slice(0, -1) : below;
    exchange.cors = named === '' ? cors.headersOfMessages(exchange) : cors.headers(exchange, named);
    return answer(exchange, named);
  });
}

/**
 * The contract that a path names, or a service followed by `?wsdl` or `?xsd`; a fault when that is not exactly one
 * service.
 */
function contractName(
  exchange: Exchange,
  below: string,
  { registry }: Pick<ConnectorsPorts, 'registry'>,
): string | Fault {
  const asked = QUERIES.get(exchange.query?.toLowerCase() ?? '');
  if (exchange.method !== 'POST' && below === '') {
    const named = contractOfOperation(exchange, registry.gateway.limits.parameters);
    if (named !== undefined) return named;
  }
  if (exchange.method === 'POST' || asked === undefined) return below;
  if (below !== '') return `${below}.${asked}`;
  const ids = [...registry.services.values()]
    .filter(({ active, operations }) => active && operations.some((each) => each.active && each.soap !== undefined))
    .map(({ id }) => id);
  if (ids.length === 1) return `${ids[0]}.${asked}`;
  const what = ids.length === 0 ? 'service over SOAP' : `one service to describe; there is ${ids.join(', ')}`;
  return Fault.of('NOT_FOUND', { what: `${what}: its name belongs in front of ?${asked}` });
}

/** The queries by which clients ask for a contract; `singleWsdl` is WCF's, and this one imports nothing anyway. */
const QUERIES: ReadonlyMap<string, 'wsdl' | 'xsd'> = new Map([
  ...(['wsdl', 'wsdl=', 'wsdl=1', 'singlewsdl'] as const).map((query) => [query, 'wsdl'] as const),
  ...(['xsd', 'xsd=', 'xsd=1'] as const).map((query) => [query, 'xsd'] as const),
]);

/** The original's names of contracts in a query: `?Operation=GetWSDL&wsdl=Locations.1`. */
const CONTRACTS: ReadonlyMap<string, string> = new Map([
  ['getwsdl', 'wsdl'],
  ['getschema', 'xsd'],
]);

/** @returns the contract's name, or a fault when the query names none; `undefined` when it does not ask for a contract */
function contractOfOperation({ query = '' }: Exchange, limit: number): string | Fault | undefined {
  if (!/operation=get/i.test(query)) return undefined;
  const parameters = readingQuery(limit, () => parseQueryString(query, limit));
  const operation = parameters.get('Operation')?.[0]?.toLowerCase() ?? '';
  if (operation === 'getwsil') return INSPECTION;
  const kind = CONTRACTS.get(operation);
  if (kind === undefined) return undefined;
  const name = parameters.get(kind)?.[0] ?? '';
  return name === '' ? Fault.of('MISSING_PARAMETER', { name: kind }) : `${name}.${kind}`;
}

/** @param methods the allowed ones, including `OPTIONS` */
function serve(
  exchange: Exchange,
  below: string,
  connectors: Connectors,
  entrance: Entrance,
  { tellAllowed }: PlainRoutes,
  methods: readonly string[],
): Response | Promise<Response> {
  if (below !== '') throw Fault.of('NOT_FOUND', { what: `service or contract ${quote(below)} at this connector` });
  const { method } = exchange;
  if (method === 'OPTIONS') return tellAllowed(exchange, methods);
  if (methods.includes(method)) return connectors.serve(exchange, entrance);
  throw methodNotAllowed(method, methods);
}
