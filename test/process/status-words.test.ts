import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { DISTRIBUTION, RUN_STATUS } from '../../src/process/status.ts';

const yaml = readFileSync(new URL('../../src/delivered/processrequest.yaml', import.meta.url), 'utf8');
const definitions = parseAllDocuments(yaml).map((each) => each.toJS() as { document?: string; fields?: object });
const filters = definitions.find(({ document }) => document === 'PRQ_FINDREQUESTS_REQ')?.fields;

test.each([
  ['RunStatus', RUN_STATUS],
  ['DistributionStatus', DISTRIBUTION],
])('contracts name every value of the filter %s: words, digits, and the empty one', (name, codes) => {
  expect(filters).toMatchObject({ [name]: { enum: [...Object.keys(codes), ...Object.values(codes), ''] } });
});
