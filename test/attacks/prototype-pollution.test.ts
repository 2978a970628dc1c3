import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type LoadedProject, loadProject } from '../../src/load/index.ts';
import { callSoap, envelope, post, send, wrapped } from '../serve/soap-client.ts';
import { soapProject } from '../serve/soap-project.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { writeProject } from '../support/project.ts';

const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '__defineGetter__',
  'then',
] as const;
const REST = '/gateway/RESTListeningConnector/Soap.v1';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ files: soapProject() });
});
afterAll(() => gateway.stop());

const before = JSON.stringify(
  [Object, Array, String, Function].map(({ prototype }) => Object.getOwnPropertyNames(prototype)),
);
/** No prototype has more than it had, and nothing of what was sent shows in any object. */
afterEach(async () => {
  const after = [Object, Array, String, Function].map(({ prototype }) => Object.getOwnPropertyNames(prototype));
  expect(JSON.stringify(after)).toBe(before);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  expect((await callSoap(gateway, 'ECHO', '<S>after</S>')).text).toContain('<S>after</S>');
  expect(gateway.log().filter(({ level }) => level === 'error')).toEqual([]);
});

const json = (body: string) =>
  send(gateway, {
    path: `${REST}/echo`,
    body,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
  });

describe.each(NAMES)('%s', (name) => {
  const member = `{"${name}":{"polluted":"yes","status":500}}`;

  it('as a member of JSON is unknown, wherever it stands, escaped or not', async () => {
    const escaped = member.replace(/[a-z]/, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`);
    for (const body of [
      member,
      escaped,
      `{"SUB":${member}}`,
      `{"SUB":{"N":1,"constructor":{"prototype":{"polluted":1}}}}`,
    ]) {
      const { status, text } = await json(body);
      expect([200, 400], text).toContain(status);
      expect(text).not.toContain('"polluted"');
    }
  });

  it('in JSON that no document describes is data, or refused by its name', async () => {
    const { status, text } = await json(`{"J":${member}}`);
    if (name === '__proto__') return expect([status, text]).toEqual([400, expect.stringContaining('not accepted')]);
    expect(status, text).toBe(200);
    expect(text).toContain(`"${name}":{"polluted":"yes"`);
  });

  it('as an element or an attribute of XML is unknown, or data where nothing is described', async () => {
    const inside = `<${name} ${name}="x"><polluted>yes</polluted></${name}>`;
    const unknown = await callSoap(gateway, 'ECHO', inside);
    expect(unknown.status).toBeGreaterThanOrEqual(400);
    const data = await callSoap(gateway, 'ECHO', `<X>${inside}</X>`);
    expect([data.status, data.text]).toEqual([200, expect.stringContaining('polluted')]);
    expect((await post(gateway, envelope(wrapped(name, '<S>a</S>')))).status).toBeGreaterThanOrEqual(400);
    expect((await post(gateway, envelope(wrapped('ECHO', `<S ${name}="a">a</S>`)))).text).not.toContain('polluted');
  });

  it('as a parameter, a header, a path or an operation names nothing', async () => {
    for (const path of [
      `${REST}/twinned/a?${name}[polluted]=yes&${name}.polluted=yes&${name}=yes`,
      `${REST}/${name}`,
      `/${name}`,
    ]) {
      const { status } = await gateway.call(path, { headers: { [name]: 'polluted', cookie: `${name}=polluted` } });
      expect([200, 400, 404]).toContain(status);
    }
    const asked = await gateway.call(`/gateway/HttpListeningConnector?OperationName=${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: member,
    });
    expect(asked.status).toBeGreaterThanOrEqual(400);
  });

  it('in definitions is an unknown key, or a name like others', () => {
    const texts = [
      `${name}: x\n`,
      `document: D\n${name}: { polluted: yes }\n`,
      `document: D\nfields: { ${name}: { type: string, polluted: yes } }\n`,
      `document: ${name}\nfields: { A: string }\n`,
      `service: S.v1\n${name}: { polluted: yes }\noperations: {}\n`,
      `x: &a { polluted: yes }\ndocument: D\nfields: { <<: *a, ${name}: *a }\n`,
      `"${name}": { "__proto__": { polluted: yes } }\n`,
    ];
    for (const text of texts) {
      const project = writeProject({ 'definitions/hostile.yaml': text });
      try {
        const loaded: LoadedProject = loadProject({ root: project.root });
        expect(loaded.registry === undefined).toBe(loaded.diagnostics.some(({ severity }) => severity === 'error'));
        expect(({} as Record<string, unknown>).polluted, text).toBeUndefined();
      } finally {
        project.remove();
      }
    }
  });
});
