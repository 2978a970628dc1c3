import { describe, expect, it } from 'vitest';
import { describeOpenApi, describeWadl, describeXsdFiles } from '../../src/describe/index.ts';
import { generate } from '../../src/generate/index.ts';
import type { Service } from '../../src/model/service.ts';
import { load } from '../load/linked.ts';

const registry = load(`
type: STATUS
description: How far an order is.
base: string(1)
enum: [N, S]
labels: { N: New, S: Sent }
example: N
---
type: CODE
base: string(3)
pattern: "[A-Z]{3}"
---
document: ORDER
fields:
  state: { type: STATUS, required: true }
  before: { type: STATUS, description: The one before., default: S }
  maybe: { type: STATUS, nullable: true }
  only: { type: CODE, fixed: ABC }
  blank: { type: STATUS, absent: blank }
  codes: { type: list of CODE, maximum: 5 }
  size: { type: string, enum: [L, M], labels: { L: Large } }
---
service: Orders.v1
public: true
operations:
  ORDERS_GET: { get: "orders/{state}{?code}", request: { fields: { state: STATUS, code: CODE } }, response: ORDER }
`);
const service = registry.services.get('Orders.v1') as Service;

describe('named simple types', () => {
  it('are one schema in OpenAPI, with the labels of their values, that members and parameters refer to', () => {
    const { components, paths } = JSON.parse(describeOpenApi(registry, service, { base: 'http://localhost' }));
    const { STATUS, ORDER } = components.schemas;
    expect(STATUS).toEqual({
      type: 'string',
      maxLength: 1,
      enum: ['N', 'S'],
      'x-enum-descriptions': ['New', 'Sent'],
      description: 'How far an order is. N: New; S: Sent.',
      examples: ['N'],
    });
    const status = { $ref: '#/components/schemas/STATUS' };
    expect(ORDER.properties).toMatchObject({
      state: status,
      before: { ...status, description: 'The one before.', default: 'S' },
      maybe: { anyOf: [status, { type: 'null' }] },
      only: { type: 'string', maxLength: 3, const: 'ABC' },
      blank: { type: 'string', enum: ['N', 'S', ''] },
      codes: { type: 'array', maxItems: 5, items: { $ref: '#/components/schemas/CODE' } },
      size: { type: 'string', enum: ['L', 'M'], 'x-enum-descriptions': ['Large', ''], description: 'L: Large.' },
    });
    expect(ORDER.properties.state).toEqual(status);
    const [operation] = Object.values(paths as Record<string, { get: { parameters: { schema: object }[] } }>);
    expect(operation?.get.parameters.map(({ schema }) => schema)).toEqual([
      status,
      { $ref: '#/components/schemas/CODE' },
    ]);
  });

  it('are one type in TypeScript, with the labels in its comment', () => {
    const types = generate(registry, { schema: { $schema: 'x' } }).get('generated/types.ts') as string;
    expect(types).toContain(`/**
 * How far an order is.
 * \`string(1)\`, example \`N\`.
 * - \`N\`: New
 * - \`S\`: Sent
 */
export type STATUS = 'N' | 'S';
`);
    expect(types).toContain(
      '/**\n * Type CODE.\n * `string(3)`, pattern `[A-Z]{3}`.\n */\nexport type CODE = string;\n',
    );
    expect(types).toContain('  state: STATUS;\n');
    expect(types).toContain('   * The one before.\n   * Default `S`.\n   */\n  before?: STATUS | null | undefined;\n');
    expect(types).toContain("  only?: 'ABC' | null | undefined;\n");
    expect(types).toContain('  codes?: readonly CODE[] | null | undefined;\n');
    expect(types).toContain("  /** - `L`: Large */\n  size?: 'L' | 'M' | null | undefined;\n");
  });

  it('have labels of their values in XML Schema and in WADL', () => {
    const [xsd = ''] = describeXsdFiles(registry, service).values();
    expect(xsd.replaceAll(/>\s+</g, '><')).toContain(
      '<xs:enumeration value="S"><xs:annotation><xs:documentation>Sent</xs:documentation></xs:annotation></xs:enumeration>',
    );
    const wadl = describeWadl(registry, service, { base: 'http://localhost' });
    expect(wadl.replaceAll(/>\s+</g, '><')).toContain('<option value="S"><doc title="Sent"/></option>');
  });
});
