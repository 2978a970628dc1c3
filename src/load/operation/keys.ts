import { type Linking, refuseKey } from '../linking.ts';
import type { OperationDeclared } from '../schema/operation.ts';
import type { ServiceDeclared } from '../schema/service.ts';
import type { OperationSpot } from './spot.ts';

/** Keys that say nothing, and why. */
type Refused = readonly (readonly [keyof OperationDeclared, string])[];

/** Where an operation has no URI. */
const WITHOUT_URI: Refused = [
  ['template', 'it has no URI'],
  ['headers', 'over SOAP no header fills a field'],
  ['body', 'over SOAP everything that a caller says is body'],
  ['alias', 'it has no path of its own'],
  ['status', 'a reply over SOAP has the status 200'],
  ['wrapper', 'a reply over SOAP is XML itself'],
];

const ELSEWHERE = 'the node that `target:` names answers it';

/** Where an operation calls another system. */
const OF_ANSWERS: Refused = [
  ['handler', ELSEWHERE],
  ['query', ELSEWHERE],
  ['save', ELSEWHERE],
  ['read', ELSEWHERE],
  ['call', ELSEWHERE],
  ['as', ELSEWHERE],
  ['writes', 'it is for operations that are answered here'],
  ['requires', 'what a call shows stands at the node: `credential:`'],
  ['limits', 'it bounds calls that come in'],
];

/** Where that call is made over REST. */
const OF_REPLIES: Refused = [
  ['alias', 'its path is its URI template'],
  ['status', 'the reply has the status that the target gives it'],
  ['wrapper', 'a reply in that wrapper is unwrapped in any case'],
];

/** Where that call is made over SOAP. */
const OF_TEXTS: Refused = [
  ...WITHOUT_URI.filter(([key]) => key !== 'headers'),
  ['form', 'over SOAP everything that a caller says is body'],
  ['values', 'over SOAP nothing takes the place of what a caller leaves out'],
];

/** What services may say for all of the calls that they have. */
const SHARED = [
  ['properties', 'connector properties are for operations with a `target`'],
  ['values', 'what takes the place of what a caller leaves out is for operations with a `target`'],
  ['timeout', 'a time of its own is for operations with a `target`'],
  ['retry', 'what is made again is a call, of an operation with a `target`'],
] as const;

/** Where an operation is answered here. */
const OF_CALLS: Refused = [...SHARED, ['form', 'a form as body is for operations with a `target`']];

/** Refuses what an operation says for REST and has no use for; what its service says for all is passed over. */
export function checkSoapAlone(linking: Linking, spot: OperationSpot): void {
  refuseKeys(linking, spot, 'is SOAP alone', WITHOUT_URI);
}

/** Refuses what an operation that calls another system says, and has no use for. */
export function checkConsumerKeys(linking: Linking, spot: OperationSpot, over: 'rest' | 'soap'): void {
  const keys = over === 'rest' ? OF_REPLIES : OF_TEXTS;
  refuseKeys(linking, spot, 'is a call to another system', [...OF_ANSWERS, ...keys]);
}

/** Refuses what an operation that is answered here says of calls. */
export function checkProviderKeys(linking: Linking, spot: OperationSpot): void {
  if (!spot.lacks('target')) refuseKeys(linking, spot, 'is answered here', OF_CALLS);
}

/** Refuses what a service says of calls that has none. */
export function checkServiceKeys(linking: Linking, id: string, service: ServiceDeclared): void {
  const why = `it is for operations with a \`target\`, and ${id} has none`;
  for (const [key] of SHARED) refuseKey(linking, service, key, id, why);
}

function refuseKeys(linking: Linking, { id, declared }: OperationSpot, what: string, keys: Refused): void {
  for (const [key, why] of keys) refuseKey(linking, declared, key, id, `${id} ${what}, and ${why}`);
}
