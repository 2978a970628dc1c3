import { describe, expect, it } from 'vitest';
import { generate, handlerStubs } from '../../src/generate/index.ts';
import { loadFiles } from '../../src/load/load.ts';
import { projectOf } from '../load/project-text.ts';

const { registry } = loadFiles(
  projectOf(`recurrence: DAILY
cron: 0 6 * * *
---
query: ORDERS
public: true
columns: { NUMBER: integer }
sql: select 1 as number
---
process: ORDER_EXTRACT
description: Writes orders to a file.
type: Application Engine
public: true
parameters:
  REGION: { type: string(1), required: true }
  YEAR: { type: integer, default: 2026, minimum: 1900, maximum: 2100 }
  NOTE: text
retry: 2
---
process: ORDER_LIST
type: PSQuery
public: true
query: ORDERS
`),
  'ignore-missing',
);

const files = generate(registry!, { schema: { $schema: 'test' } });

describe('a process in generated files', () => {
  it('has typed parameters: what has a default is there, what may be left out may be absent', () => {
    const text = files.get('generated/types.ts')?.replace(/^ *\/\*\*[\s\S]*?\*\/\n/gm, '');
    expect(text).toContain(
      'export type ORDER_EXTRACT_Parameters = {\n' +
        '  readonly REGION: string;\n  readonly YEAR: number;\n  readonly NOTE?: string | undefined;\n};\n',
    );
  });

  it('has a type of its code where code runs it, and none where a query does', () => {
    const text = files.get('generated/handlers.ts') ?? '';
    expect(text).toContain(
      'export type ORDER_EXTRACT_ProcessContext = TypedProcess<Queries, Calls, Flows, Components, Programs>;',
    );
    expect(text).toContain('export interface Processes {\n  ORDER_EXTRACT: ORDER_EXTRACT_Process;\n}\n');
    expect(text).toContain('export function defineProcess<Id extends keyof Processes>');
    expect(text).not.toContain('ORDER_LIST');
  });

  it('stands in the registry with what differs from the usual', () => {
    const tree = JSON.parse(files.get('generated/registry.json') ?? '') as Record<string, Record<string, object>>;
    expect(tree.processes?.ORDER_EXTRACT).toMatchObject({
      type: 'Application Engine',
      handler: 'order-extract',
      retry: { attempts: 2, first: 10_000, longest: 600_000 },
      public: true,
    });
    expect(tree.processes?.ORDER_LIST).toEqual({ type: 'PSQuery', query: 'ORDERS', permissions: [], public: true });
    expect(tree.recurrences).toEqual({ DAILY: { cron: '0 6 * * *', zone: 'UTC' } });
  });

  it('has a first version of its code, where there is none', () => {
    const path = 'src/handlers/order-extract.ts';
    const text = handlerStubs(registry!, new Set()).get(path);
    expect(text).toContain("import { defineProcess } from '../../generated/handlers.ts';");
    expect(text).toContain("export default defineProcess('ORDER_EXTRACT', {\n  run(_parameters, context) {");
    expect(text).toContain(' * context.progress and context.message appear with the request;');
    expect(handlerStubs(registry!, new Set([path])).has(path)).toBe(false);
  });
});
