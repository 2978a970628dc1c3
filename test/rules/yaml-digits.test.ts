import { expect, it } from 'vitest';
import { loadFiles } from '../../src/load/load.ts';
import { projectOf } from '../load/project-text.ts';

// An anchor leaves the file to the yaml package.
it.each([
  ['plain', 'text'],
  ['all of', '&anchor text'],
])('decimals in %s YAML keep their digits', (_, description) => {
  const { registry } = loadFiles(
    projectOf(`gateway: LOCAL
---
document: PRICES
description: ${description}
fields:
  A: { type: decimal, default: 0.1000000000000000055 }
  B: { type: decimal, minimum: 12345678901234567890.12, maximum: 92345678901234567890.12 }
  C: { type: decimal, enum: [0.1000000000000000055, 1.50] }
  D: { type: decimal, fixed: -0.1000000000000000055 }
`),
    'ignore-missing',
  );
  expect(registry?.documents.get('PRICES')?.fields).toMatchObject([
    { default: '0.1000000000000000055' },
    { range: { minimum: '12345678901234567890.12', maximum: '92345678901234567890.12' } },
    { enum: ['0.1000000000000000055', '1.50'] },
    { fixed: '-0.1000000000000000055' },
  ]);
});
