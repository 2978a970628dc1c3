import type { Method } from '../../model/service.ts';
import { receivable } from '../../wire/uri-template/layout.ts';
import { parseUriTemplate, type UriTemplate, UriTemplateError } from '../../wire/uri-template/uri-template.ts';
import type { Place } from '../diagnostic/diagnostic.ts';
import { type Linking, refuseKey } from '../linking.ts';
import type { RoutingOverride } from '../routing.ts';
import { METHOD_KEYS, type OperationDeclared, type SharedDeclared } from '../schema/operation.ts';
import type { ServiceDeclared } from '../schema/service.ts';

/** A key's value, where it is written: at the operation, or at its service. */
interface Said<V> {
  readonly value: V;
  readonly at: Place;
}

/** What an operation is called. */
interface SpotNames {
  /** Unique over all services. */
  readonly id: string;
  /** In its service. */
  readonly name: string;
  /** The id of its SOAP form: its own, or that of its twin. */
  readonly soapId: string;
}

/** An operation as it stands in its service. */
export interface OperationSpot extends SpotNames {
  readonly declared: OperationDeclared;
  readonly service: ServiceDeclared;
  /** Of a consumer: what is said of its routing stands above what it says itself. */
  readonly override?: RoutingOverride;
  /** Of the operation's id. */
  readonly at: Place;
  /** Whether one of the keys may have been said in a part that was refused, of the operation or of what its service says for all. */
  lacks(...keys: readonly (keyof OperationDeclared)[]): boolean;
  /** What the operation says, or else its service. */
  inherited<K extends keyof SharedDeclared>(key: K): Said<NonNullable<SharedDeclared[K]>> | undefined;
  /** What the service says. */
  above<K extends keyof SharedDeclared>(key: K): SharedDeclared[K];
}

export function operationSpot(linking: Linking, service: ServiceDeclared, names: SpotNames): OperationSpot {
  const { places, doubt } = linking;
  const declared = service.operations[names.name] as OperationDeclared;
  return {
    ...names,
    declared,
    service,
    at: places.key(service.operations, names.name),
    lacks: (...keys) =>
      doubt.about(declared, ...keys) || keys.some((key) => declared[key] === undefined && doubt.about(service, key)),
    inherited(key) {
      for (const container of [declared, service]) {
        const value = container[key];
        if (value !== undefined) return { value, at: places.value(container, key) };
      }
      return undefined;
    },
    above: (key) => service[key],
  };
}

/** A template of an operation, where it stands. */
export interface PlacedTemplate {
  /** The URI index, from 1. */
  readonly index: number;
  readonly template: UriTemplate;
  /** It is written with a slash in front, which is no part of the template. */
  readonly slash: boolean;
  readonly at: Place;
  /** Where a variable stands in it. */
  readonly variableAt: (name: string) => Place;
}

/** The method of an operation: the one key that names it; undefined where it is SOAP alone. */
export function methodOf({ declared }: OperationSpot): Method | undefined {
  const key = METHOD_KEYS.find((each) => declared[each] !== undefined);
  return key?.toUpperCase() as Method | undefined;
}

/** How many templates an operation declares. */
export function templateCount({ declared }: OperationSpot, method: Method | undefined): number {
  return method === undefined ? 0 : [declared[method.toLowerCase() as Lowercase<Method>] ?? []].flat().length;
}

/** The templates of an operation that is answered here; those that no request can match are reported and left out. */
export function linkTemplates(linking: Linking, spot: OperationSpot, method: Method): PlacedTemplate[] {
  return parseTemplates(linking, spot, method).filter(({ template, at }) => {
    const reason = receivable(template);
    if (reason !== undefined) linking.report.raise('template-not-receivable', { reason }, at);
    return reason === undefined;
  });
}

/** Parses the templates of an operation; those that are none are reported and left out. */
export function parseTemplates(
  { report, places }: Linking,
  { declared }: OperationSpot,
  method: Method,
): PlacedTemplate[] {
  const key = method.toLowerCase() as Lowercase<Method>;
  const said = declared[key] ?? [];
  const texts = typeof said === 'string' ? [said] : said;
  return texts.flatMap((text, position) => {
    const spot: [object, string | number] = typeof said === 'string' ? [declared, key] : [said, position];
    const at = places.value(...spot);
    // The slash between service and template is written by whoever joins them.
    const start = text.startsWith('/') ? 1 : 0;
    try {
      const template = parseUriTemplate(text.slice(start));
      const variableAt = (name: string): Place => {
        const offset = text.search(new RegExp(`(?<=[{,?&+./;])${escapeRegExp(name)}(?=[},*:])`));
        return offset < 0 ? at : places.inText(...spot, offset, name.length);
      };
      return { index: position + 1, template, slash: start > 0, at, variableAt };
    } catch (error) {
      if (!(error instanceof UriTemplateError)) throw error;
      report.raise('bad-template', { reason: error.message }, places.inText(...spot, error.offset + start, 1));
      return [];
    }
  });
}

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

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
