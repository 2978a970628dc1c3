import { describe, expect, test } from 'vitest';
import { describeOpenApi } from '../../src/describe/index.ts';
import type { Document } from '../../src/model/document.ts';
import type { Service } from '../../src/model/service.ts';
import { compound, document, field, registry } from '../support/registry.ts';

const base = 'https://gateway.invalid/gateway';

function openApi(fault: Document, response: Document): string {
  const built = registry({ 'Test.v1': { operations: { T: { templates: ['t'], response, fault } } } });
  return describeOpenApi(built, built.services.get('Test.v1') as Service, { base });
}

const words = (): ReturnType<typeof field> => field('MESSAGE', 'text', { default: '{fault.message}' });

describe('examples of documents', () => {
  test('end where a fault document holds itself', () => {
    const fields = [words()];
    const fault = document('F', fields);
    fields.push(field('CAUSE', compound(fault)));
    expect(openApi(fault, document('R', [field('A')]))).toContain('"MESSAGE"');
  });

  test('take fields that are called like what every object inherits', () => {
    const names = ['constructor', 'toString', 'valueOf', '__proto__'];
    const text = openApi(
      document('F', [...names.map((name) => field(name)), words()]),
      document(
        'R',
        names.map((name) => field(name)),
      ),
    );
    for (const name of names) expect(text).toContain(`"${name}": "text"`);
  });
});
