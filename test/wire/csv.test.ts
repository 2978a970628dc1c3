import { expect, test } from 'vitest';
import { neutraliseFormula } from '../../src/wire/csv.ts';

test.each([
  '=1+1',
  '+1+1',
  '-1+1',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '\n=1',
  '＝1',
  '-',
  '+',
  '--1',
  '-1e',
  "=cmd|' /C calc'!A0",
])('%j is no formula behind an apostrophe', (text) => expect(neutraliseFormula(text)).toBe(`'${text}`));

test.each(['', 'a=1', '-5', '+5', '-0.50', '-1.234,56', '-1e5', '+2E-3', '-.5', ' =1', "'=1"])('%j stays', (text) =>
  expect(neutraliseFormula(text)).toBe(text));
