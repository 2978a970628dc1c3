import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { describeWsdl } from '../../src/describe/index.ts';
import type { Service } from '../../src/model/service.ts';
import { DIGEST, SIGNED, USERNAME } from '../describe/schemes.ts';
import { document, field, registry } from '../support/registry.ts';
import { nodeSoap, php, runSessions, zeep } from './soap-support.ts';

const folder = mkdtempSync(join(tmpdir(), 'signalbox-policy-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a WSDL with a policy', () => {
  test.for([zeep, php, nodeSoap])('is read by $name (needs $needs)', async (client, { skip }) => {
    skip(!client.isHere);
    const both = { soap: true, request: document('Q', [field('A')]), response: document('R', [field('B')]) } as const;
    const operations = {
      TOKEN_ONLY: { ...both, requires: [DIGEST] },
      TEXT_OR_DIGEST: { ...both, requires: [USERNAME] },
      EITHER: { ...both, requires: [USERNAME, SIGNED] },
    };
    const built = registry({ 'Test.v1': { operations } });
    const text = describeWsdl(built, built.services.get('Test.v1') as Service, { base: 'http://127.0.0.1:1/gateway' });
    expect(text).toContain('sp:UsernameToken');
    const wsdl = join(folder, 'Test.wsdl');
    writeFileSync(wsdl, text);
    const session = { wsdl, user: '', password: '', version: '1.1', trace: false, binary: [], calls: {} } as const;
    const { one } = await runSessions(client, { one: session });
    expect(new Set(one?.operations)).toEqual(new Set(Object.keys(operations)));
  });
});
