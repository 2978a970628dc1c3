import type { Method } from '../../model/service.ts';
import { receivable } from '../../wire/uri-template/layout.ts';
import { parseUriTemplate, type UriTemplate, UriTemplateError } from '../../wire/uri-template/uri-template.ts';
import type { Place } from '../diagnostic/diagnostic.ts';
import { type Linking, refuseKey } from '../linking.ts';
import type { RoutingOverride } from '../routing.ts';
import { METHOD_KEYS, type OperationDeclared, type SharedDeclared } from '../schema/operation.ts';
import type { ServiceDeclared } from '../schema/service.ts';

/** The value of a key with its place, in the operation or its service. */
interface Said<V> {
  readonly value: V;
  readonly at: Place;
}

/** The names of an operation. */
interface SpotNames {
  /** Unique across all services. */
  readonly id: string;
  /** Unique in its service. */
  readonly name: string;
  /** The id of its SOAP form: its own, or that of its twin. */
  readonly soapId: string;
}

/** An operation in its service. */
export interface OperationSpot extends SpotNames {
  readonly declared: OperationDeclared;
  readonly service: ServiceDeclared;
  /** For a consumer: the routing that overrides its settings. */
  readonly override?: RoutingOverride;
  /** Of the operation's id. */
  readonly at: Place;
  /** Whether a rejected part of the operation, or of the defaults of its service, may have meant one of the keys. */
  lacks(...keys: readonly (keyof OperationDeclared)[]): boolean;
  /** The value of the operation, or else of its service. */
  inherited<K extends keyof SharedDeclared>(key: K): Said<NonNullable<SharedDeclared[K]>> | undefined;
  /** The value of the service. */
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

/** A template of an operation with its place. */
export interface PlacedTemplate {
  /** The URI index, from 1. */
  readonly index: number;
  readonly template: UriTemplate;
  /** It is written with a leading slash, which is not part of the template. */
  readonly slash: boolean;
  readonly at: Place;
  /** The place of a variable in it. */
  readonly variableAt: (name: string) => Place;
}

/** The method of an operation, by the key that it has; `undefined` for SOAP only. */
export function methodOf({ declared }: OperationSpot): Method | undefined {
  const key = METHOD_KEYS.find((each) => declared[each] !== undefined);
  return key?.toUpperCase() as Method | undefined;
}

/** How many templates an operation declares. */
export function templateCount({ declared }: OperationSpot, method: Method | undefined): number {
  return method === undefined ? 0 : [declared[method.toLowerCase() as Lowercase<Method>] ?? []].flat().length;
}

/** The templates of an operation that is answered here. Those that no request can match are reported and left out. */
export function linkTemplates(linking: Linking, spot: OperationSpot, method: Method): PlacedTemplate[] {
  return parseTemplates(linking, spot, method).filter(({ template, at }) => {
    const reason = receivable(template);
    if (reason !== undefined) linking.report.raise('template-not-receivable', { reason }, at);
    return reason === undefined;
  });
}

/** Parses the templates of an operation. Invalid ones are reported and left out. */
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
    // The slash between service and template is added when they are joined.
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

/** Keys without effect, and why. */
type Refused = readonly (readonly [keyof OperationDeclared, string])[];

/** For operations without a URI. */
const WITHOUT_URI: Refused = [
  ['variables', 'it has no URI'],
  ['headers', "over SOAP headers can't fill fields"],
  ['body', 'over SOAP all input is in the body'],
  ['alias', 'it has no path of its own'],
  ['strict', 'it has no query'],
  ['tags', 'it is not in an OpenAPI description'],
  ['status', 'replies over SOAP have the status 200'],
  ['wrapper', 'replies over SOAP are XML already'],
];

/** For operations that are not offered or called over SOAP. */
const WITHOUT_ENVELOPE: Refused = [
  ['wrapped', 'a message over REST has no wrapper of that kind'],
  ['style', 'it is about messages over SOAP'],
  ['faults', 'over REST a fault has the document in `fault:`'],
];

const ELSEWHERE = 'the node in `target:` answers it';

/** For operations that call another system. */
const OF_ANSWERS: Refused = [
  ['handler', ELSEWHERE],
  ['query', ELSEWHERE],
  ['paging', ELSEWHERE],
  ['save', ELSEWHERE],
  ['read', ELSEWHERE],
  ['call', ELSEWHERE],
  ['map', ELSEWHERE],
  ['queue', ELSEWHERE],
  ['reply-of', ELSEWHERE],
  ['reply-to', ELSEWHERE],
  ['as', ELSEWHERE],
  ['writes', 'it applies to operations that are answered here'],
  ['requires', 'the credential of a call is set at the node: `credential:`'],
  ['limits', 'it limits incoming calls'],
  ['once', 'it is about incoming calls'],
  ['strict', 'it is about incoming calls'],
  ['tags', 'OpenAPI describes operations that are answered here'],
];

/** For calls over REST. */
const OF_REPLIES: Refused = [
  ...WITHOUT_ENVELOPE,
  ['alias', 'its path is its URI template'],
  ['status', 'the reply has the status that the target returns'],
  ['wrapper', 'such a wrapper is always unwrapped'],
];

const FORM_OVER_SOAP = [
  ['form', 'over SOAP all input is in the body'],
  ['encoding', 'it is about forms'],
] as const;

/** For calls over SOAP. */
const OF_TEXTS: Refused = [
  ...WITHOUT_URI.filter(([key]) => key !== 'headers'),
  ...FORM_OVER_SOAP,
  ['values', 'over SOAP fields that the caller leaves out are not filled'],
];

/** Keys that a service may set for all of its calls. */
const SHARED = [
  ['properties', 'connector properties apply to operations with a `target`'],
  ['values', 'values for missing fields apply to operations with a `target`'],
  ['timeout', 'a time limit of its own applies to operations with a `target`'],
  ['retry', 'only calls, of operations with a `target`, are retried'],
  ['lenient', 'it is about replies to operations with a `target`'],
] as const;

/** For operations that are answered here. */
const OF_CALLS: Refused = [...SHARED, ['form', 'a form of texts applies to operations with a `target`']];

/** Refuses keys of an operation that only matter for SOAP. */
export function checkRestAlone(linking: Linking, spot: OperationSpot): void {
  if (!spot.lacks('soap')) refuseKeys(linking, spot, 'is offered over REST only', WITHOUT_ENVELOPE);
}

/** Refuses keys of an operation that only matter for REST. Those of its service are ignored. */
export function checkSoapAlone(linking: Linking, spot: OperationSpot): void {
  const isForm = typeof spot.declared.form === 'string';
  refuseKeys(linking, spot, 'is offered over SOAP only', isForm ? [...WITHOUT_URI, ...FORM_OVER_SOAP] : WITHOUT_URI);
}

/** Refuses keys that have no effect on calls. */
export function checkConsumerKeys(linking: Linking, spot: OperationSpot, over: 'rest' | 'soap'): void {
  const keys = over === 'rest' ? OF_REPLIES : OF_TEXTS;
  refuseKeys(linking, spot, 'is a call to another system', [...OF_ANSWERS, ...keys]);
}

/** Refuses keys of calls in an operation that is answered here. */
export function checkProviderKeys(linking: Linking, spot: OperationSpot): void {
  const keys = typeof spot.declared.form === 'string' ? SHARED : OF_CALLS;
  if (!spot.lacks('target')) refuseKeys(linking, spot, 'is answered here', keys);
}

/** Refuses keys of calls in a service without calls. */
export function checkServiceKeys(linking: Linking, id: string, service: ServiceDeclared): void {
  const why = `it applies to operations with a \`target\`, and ${id} has none`;
  for (const [key] of SHARED) refuseKey(linking, service, key, id, why);
}

function refuseKeys(linking: Linking, { id, declared }: OperationSpot, what: string, keys: Refused): void {
  for (const [key, why] of keys) refuseKey(linking, declared, key, id, `${id} ${what}, and ${why}`);
}
