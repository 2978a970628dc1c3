import { describe, expect, it } from 'vitest';
import { declaredOf, errorsOf, yamlOf } from '../support.ts';

const contract = (text: string) => ({ 'api.yaml': `openapi: 3.1.0\ninfo: { title: Shop, version: '1' }\n${text}` });

describe('the definitions of an OpenAPI contract', () => {
  it('describe the entries of a list at the list, when their document is in place', async () => {
    const { declared } = await declaredOf(
      contract(`
components:
  schemas:
    Order:
      type: object
      properties:
        lines:
          type: array
          items: { type: object, description: What was ordered., properties: { sku: { type: string } } }
        notes:
          description: Newest first.
          type: array
          items: { type: object, description: What was said., properties: { text: { type: string } } }
`),
    );
    expect(errorsOf(declared)).toEqual([]);
    const { documents = '' } = yamlOf(declared);
    expect(documents).toContain('lines: { description: What was ordered., list:');
    expect(documents).toMatch(/Newest first\.\n\n\s+What was said\./);
  });

  it('are one service, however many operations it has', async () => {
    const words = 'words '.repeat(400);
    const paths = Array.from(
      { length: 1500 },
      (_, n) => `  /p${n}: { get: { description: ${words}, responses: { '200': { description: ok } } } }`,
    );
    const { declared } = await declaredOf(contract(`paths:\n${paths.join('\n')}\n`));
    expect(declared.filter(({ kind }) => kind === 'service')).toHaveLength(1);
    expect(errorsOf(declared)).toEqual([]);
  });
});
