import type { ConsumerOperation } from '../model/consumer.ts';
import { LOG_LEVEL, type LogLevel, type Routing } from '../model/registry.ts';
import type { Operation } from '../model/service.ts';
import { type Place, placeText, positionOf } from './diagnostic/diagnostic.ts';
import { declarationsOf, type Linking, type OperationNames, refuseKey, resolveOperation } from './linking.ts';
import type { Mutable } from './object.ts';
import { type PropertiesDeclared, properties } from './schema/consumer.ts';
import {
  defaultsOf,
  description,
  type JsonSchema,
  keys,
  matching,
  refersTo,
  type TextsDeclared,
  word,
  yesNo,
} from './schema/json-schema.ts';
import { sharedKeys } from './schema/operation.ts';

/** The definitions that routings are built from. */
interface RoutingSources {
  readonly operations: ReadonlyMap<string, Mutable<Operation>>;
  readonly consumers: ReadonlyMap<string, ConsumerOperation>;
  readonly overrides: ReadonlyMap<string, RoutingOverride>;
}

/**
 * The any-to-local routing of every active operation, in the order of operations: generated, or overridden by a definition. A
 * disabled routing disables its operation. Overrides of consumers were applied when these were linked, and are only checked
 * here.
 */
export function linkRoutings(linking: Linking, sources: RoutingSources, receiver: string): Routing[] {
  const { operations, consumers, overrides } = sources;
  for (const [id, override] of overrides) refuseKeys(linking, override, id, consumers.has(id));
  const sorted = [...operations.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  return sorted.flatMap((operation) => {
    const override = overrides.get(operation.id);
    if (override !== undefined) return overriddenRouting(operation, override, receiver);
    return operation.active ? generatedRouting(operation, receiver) : [];
  });
}

/** Refuses keys for calls in the routing of an operation that is answered here. */
function refuseKeys(linking: Linking, { id, declared }: RoutingOverride, operation: string, isCall: boolean): void {
  if (isCall) return;
  const why = `${operation} is answered here, but this is a setting for calls to another system`;
  for (const key of ['target', 'headers', 'properties'] as const)
    refuseKey(linking, declared, key, `routing ${id}`, why);
}

function overriddenRouting(operation: Mutable<Operation>, override: RoutingOverride, receiver: string): Routing {
  const { id, declared, at } = override;
  const { active, log } = { ...DEFAULTS, ...declared };
  if (!active) operation.active = false;
  return { id, operation, sender: 'ANY', receiver, generated: false, active, log, at: positionOf(at) };
}

function generatedRouting(operation: Mutable<Operation>, receiver: string): Routing {
  const { id, at } = operation;
  return {
    id: `~GENERATED~${id}`,
    operation,
    sender: 'ANY',
    receiver,
    generated: true,
    active: true,
    log: LOG_LEVEL,
    at,
  };
}

/** A routing definition, for the operation that it overrides. */
export interface RoutingOverride {
  /** Id of the definition. */
  readonly id: string;
  readonly declared: RoutingDeclared;
  /** The place of the id. */
  readonly at: Place;
}

/** The routing definition of each operation, by operation id. A second one is reported. */
export function linkOverrides(linking: Linking, names: OperationNames): ReadonlyMap<string, RoutingOverride> {
  const { report, places } = linking;
  const overrides = new Map<string, RoutingOverride>();
  for (const { id, value, at } of declarationsOf<RoutingDeclared>(linking, 'routing')) {
    const named = places.value(value, 'operation');
    const operation = resolveOperation(linking, names, value.operation, named);
    if (operation === undefined) continue;
    const first = overrides.get(operation.id);
    if (first === undefined) overrides.set(operation.id, { id, declared: value, at });
    else report.raise('two-routings', { operation: operation.id, first: placeText(first.at) }, named);
  }
  return overrides;
}

export interface RoutingDeclared {
  readonly description?: string;
  readonly operation: string;
  /** As in an operation: `node` is the kind of another definition. */
  readonly target?: string;
  readonly headers?: TextsDeclared;
  readonly properties?: PropertiesDeclared;
  readonly active?: boolean;
  readonly log?: LogLevel;
}

export const routing = keys(
  {
    title: 'routing',
    description:
      'Overrides the routing of one operation. Each active operation that is answered here has a generated routing, `~GENERATED~<OPERATION>`, from any node to the local one. For an operation with a `target`, which is its routing, a definition overrides the settings that differ on this system.',
    required: ['routing', 'operation'],
    examples: [
      { routing: 'LOCATIONS_QUIET', operation: 'LOCATIONS_GET', log: 'none' },
      { routing: 'IMPORTS_TO_TEST', operation: 'THIRD_PARTY_IMPORT_POST', target: 'TEST_PARTY' },
    ],
  },
  {
    routing: matching('a routing name', '^[A-Za-z][A-Za-z0-9_-]*$', 'Its id.', 'LOCATIONS_QUIET'),
    description,
    operation: refersTo('operation-id', 'The operation to override.', 'LOCATIONS_GET'),
    active: yesNo('`false` disables the operation: it is not served or called.', true),
    target: refersTo('node-id', 'Calls only: the node to call instead of `target` of the operation.', 'TEST_PARTY'),
    headers: {
      ...sharedKeys.headers,
      description: 'Calls only: headers of the call. They override those of the operation with the same names.',
      examples: [{ 'X-Sender': 'TEST' }],
    },
    properties: {
      ...properties,
      description:
        'Calls only: connector properties. They override those of the operation, which override those of its service.',
    },
    log: word(
      ['none', 'failures', 'header', 'full'],
      'Which calls of the operation are recorded in the message store: `none`, those that fail with their headers (`failures`), all with their headers (`header`), or all with headers and payload (`full`). Credentials and `sensitive` fields are masked. The audit log has a line for each call in any case.',
      { default: LOG_LEVEL, examples: ['header'] },
    ),
  } satisfies Record<'routing' | keyof RoutingDeclared, JsonSchema>,
);

const DEFAULTS = defaultsOf(routing);
