import type { Change } from '../../src/diff/changes.ts';
import { compareRegistries } from '../../src/diff/registries.ts';
import { loadFiles, registryOf } from '../../src/load/load.ts';
import type { Registry } from '../../src/model/registry.ts';
import { projectOf } from '../load/project-text.ts';
import type { RuleSample, SampleKind } from './samples.ts';

/** The registry of definitions in one text (see projectOf). Files of handlers may be missing. */
export function registryIn(text: string): Registry {
  return registryOf(loadFiles(projectOf(text), 'ignore-missing'));
}

/** Compares two such texts. */
export function compareTexts(before: string, after: string): readonly Change[] {
  return compareRegistries(registryIn(before), registryIn(after));
}

const indented = (text: string, by: number): string => text.replace(/^(?=.)/gm, ' '.repeat(by));

/** A service that takes and returns a document over REST and SOAP, and one that calls another system with it. */
const EXCHANGES = `service: Orders.v1
public: true
operations:
  ORDER_POST: { post: orders, soap: true, request: ORDER, response: ORDER }
---
node: PARTNER
base: https://partner.example.org
---
service: Partner.v1
target: PARTNER
public: true
operations:
  PARTNER_POST: { post: orders, request: ORDER, response: ORDER }
---
`;

/** Definitions around a sample. */
const AROUND: Readonly<Record<SampleKind, (part: string) => string>> = {
  fields: (part) => {
    const [fields = '', ...more] = part.split('\n---\n');
    return `${EXCHANGES}${[`document: ORDER\nfields:\n${indented(fields, 2)}`, ...more].join('\n---\n')}\n`;
  },
  document: (part) => `${EXCHANGES}${part}\n`,
  operation: (part) =>
    `service: Orders.v1\npublic: true\noperations:\n  PARTS_GET: { get: parts, response: text }\n  ORDERS_GET:\n${indented(part, 4)}\n`,
  service: (part) =>
    `service: Orders.v1\npublic: true\noperations:\n  ORDERS_GET: { get: orders, response: text }\n${part}\n`,
  gateway: (part) =>
    `#file definitions/gateway.yaml\ngateway: LOCAL\n${part}\n#file definitions/orders.yaml\nservice: Orders.v1\npublic: true\noperations:\n  ORDERS_GET: { get: orders, response: text }\n`,
  call: (part) =>
    `node: PARTNER\nbase: https://partner.example.org\n---\nservice: Partner.v1\ntarget: PARTNER\npublic: true\noperations:\n  PARTNER_CALL:\n${indented(part, 4)}\n`,
  definitions: (part) => `${part}\n`,
  contract: (part) => part,
};

/** The whole definitions of a sample, before and after. */
export function definitionsAround({ kind, before, after }: Pick<RuleSample, 'kind' | 'before' | 'after'>): {
  readonly before: string;
  readonly after: string;
} {
  return { before: AROUND[kind](before), after: AROUND[kind](after) };
}

/** Changes as lines: `breaking  field-removed  Orders.v1.ORDER_POST.request.NOTE  json breaking, xml breaking  NOTE ... is removed.` */
export function linesOf(changes: readonly Change[]): string {
  return changes
    .map(({ rule, at, audience, verdict, verdicts, message, before, after }) => {
      const each = Object.entries(verdicts).map(([language, one]) => `${language} ${one}`);
      const places = [before, after].map((side) => (side === undefined ? '-' : `${side.at.file}:${side.at.line}`));
      return `${verdict} for ${audience}: ${rule} at ${at}\n  ${message}\n  ${each.join(', ')}; ${places.join(' > ')}\n`;
    })
    .join('');
}
