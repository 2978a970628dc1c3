import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadProject } from '../../src/load/index.ts';
import type { Flow, FlowStep } from '../../src/model/flow.ts';
import type { Registry } from '../../src/model/registry.ts';
import { load, names, operation } from './linked.ts';

function flow(registry: Registry, id: string): Flow {
  const found = registry.flows.get(id);
  if (found === undefined) throw new TypeError(id);
  return found;
}

const keptBy = ({ keep }: FlowStep): readonly string[] =>
  keep.map(({ name, from }) => `${name}: ${from.path.join('.')}`);
const required = (given: Flow): string[] => names(given.input.fields.filter((field) => field.required));

const PARTNER = `
node: PARTNER
base: https://example.org
---
document: LOGIN
fields: { token: text, seconds: integer, result: { fields: { id: text } } }
---
service: Partner.v1
public: true
target: PARTNER
operations:
  LOGIN_POST: { post: "login/{TENANT}", request: { fields: { TENANT: text, USER: { type: text, sensitive: true } } }, response: LOGIN }
  SESSION_PUT: { soap: true, request: { fields: { TOKEN: text, USER: text } }, response: LOGIN }
  ORDER_PUT: { put: ["orders/{NUMBER}", "orders{?DAY}"], request: { fields: { NUMBER: integer, DAY: date, TOKEN: text, SESSION: text, LINES: { type: list of string, required: true } } }, response: { application/xml: LOGIN, application/json: { fields: { STATUS: text } } } }
  TEXT_PUT: { soap: true, request: xml, response: xml }
`;

describe('a flow', () => {
  const registry = load(`${PARTNER}
flows:
  order:
    - { call: LOGIN_POST, keep: { TOKEN: token }, for: seconds, renew-on: 401, timeout: 30 s }
    - { call: SESSION_PUT, keep: { SESSION: result.id }, renew-on: [401, 403] }
    - call: ORDER_PUT
  described:
    description: One step.
    steps: [{ call: TEXT_PUT }]
---
service: Partner.v2
public: true
target: PARTNER
default: true
operations:
  STATUS_PUT: { soap: true, active: false, response: LOGIN }
flows:
  elsewhere: [{ call: STATUS_PUT }, { call: TEXT_PUT }]
---
service: Off.v1
public: true
active: false
target: PARTNER
operations:
  OFF_PUT: { soap: true }
flows:
  off: [{ call: TEXT_PUT }]
`);

  it('stands in the registry under its full id, and at its service', () => {
    expect([...registry.flows.keys()]).toEqual([
      'Off.v1.off',
      'Partner.v1.described',
      'Partner.v1.order',
      'Partner.v2.elsewhere',
    ]);
    const service = registry.services.get('Partner.v1');
    expect(service?.flows).toEqual([flow(registry, 'Partner.v1.order'), flow(registry, 'Partner.v1.described')]);
    expect(flow(registry, 'Partner.v1.order')).toMatchObject({ name: 'order', service, active: true });
    expect(flow(registry, 'Partner.v1.order')).not.toHaveProperty('description');
    expect(flow(registry, 'Partner.v1.described').description).toBe('One step.');
  });

  it('has steps that keep values of their replies, for a time and until a status', () => {
    const { steps } = flow(registry, 'Partner.v1.order');
    expect(steps.map((step) => step.operation)).toEqual(
      ['LOGIN_POST', 'SESSION_PUT', 'ORDER_PUT'].map((id) => registry.consumers.get(id)),
    );
    expect(steps.map(keptBy)).toEqual([['TOKEN: token'], ['SESSION: result.id'], []]);
    expect(steps.map(({ renewOn }) => renewOn)).toEqual([[401], [401, 403], []]);
    expect(steps.map(({ timeout }) => timeout)).toEqual([30_000, undefined, undefined]);
    const login = registry.documents.get('LOGIN');
    expect(steps[0]?.holds).toEqual({ path: ['seconds'], field: login?.fields[1] });
    expect(steps[0]?.keep[0]?.from.field).toBe(login?.fields[0]);
    expect(steps[1]).not.toHaveProperty('holds');
  });

  it('takes what its steps use and none keeps, in order of first use', () => {
    const order = flow(registry, 'Partner.v1.order');
    expect(names(order.input.fields)).toEqual(['TENANT', 'USER', 'NUMBER', 'DAY', 'LINES']);
    expect(registry.documents.get(order.input.id)).toBe(order.input);
  });

  it('requires what the first URI of a step requires', () => {
    // NUMBER stands in the first template alone.
    expect(required(flow(registry, 'Partner.v1.order'))).toEqual(['TENANT', 'NUMBER', 'LINES']);
  });

  it('masks an input that one of its steps masks', () => {
    const user = flow(registry, 'Partner.v1.order').input.fields.find(({ name }) => name === 'USER');
    expect(user?.sensitive).toBe(true);
  });

  it('takes the content of a step whose request has no document', () => {
    const { input } = flow(registry, 'Partner.v1.described');
    expect(input.fields).toMatchObject([{ name: 'content', type: { kind: 'xml' } }]);
  });

  it('is not active where one of its operations is not, or its service', () => {
    expect(flow(registry, 'Partner.v2.elsewhere').active).toBe(false);
    expect(flow(registry, 'Off.v1.off').active).toBe(false);
  });

  it('is frozen', () => {
    expect(Object.isFrozen(flow(registry, 'Partner.v1.order').steps[0]?.keep)).toBe(true);
  });
});

describe('the input of a flow', () => {
  const NAMES = ['A', 'B', 'C', 'D', 'E'];
  const steps = fc.array(
    fc.record({ uses: fc.uniqueArray(fc.constantFrom(...NAMES)), keeps: fc.uniqueArray(fc.constantFrom(...NAMES)) }),
    { minLength: 1, maxLength: 5 },
  );

  it('is what steps use and none keeps, whatever they do', () => {
    fc.assert(
      fc.property(steps, (drawn) => {
        // A name is kept once, after nobody has used it, and for a later step.
        const chain = drawn.map(({ uses, keeps }, index) => ({
          uses,
          keeps: keeps.filter(
            (name) =>
              drawn.slice(0, index).every((each) => !each.keeps.includes(name)) &&
              drawn.slice(0, index + 1).every((each) => !each.uses.includes(name)) &&
              drawn.slice(index + 1).some((each) => each.uses.includes(name)),
          ),
        }));
        const fields = (uses: readonly string[]) => uses.map((name) => `${name}: text`).join(', ');
        const kept = (keeps: readonly string[]) =>
          keeps.length === 0 ? '' : `, keep: { ${keeps.map((name) => `${name}: token`).join(', ')} }`;
        const registry = load(`
node: PARTNER
base: https://example.org
---
service: Partner.v1
public: true
target: PARTNER
response: { fields: { token: text } }
operations:
${chain.map(({ uses }, index) => `  S${index}: { soap: true, request: { fields: { ${fields(uses)} } } }`).join('\n')}
flows:
  chain: [${chain.map(({ keeps }, index) => `{ call: S${index}${kept(keeps)} }`).join(', ')}]
`);
        const keeps = new Set(chain.flatMap((each) => each.keeps));
        const uses = new Set(chain.flatMap((each) => each.uses));
        const { input } = flow(registry, 'Partner.v1.chain');
        expect(names(input.fields)).toEqual([...uses].filter((name) => !keeps.has(name)));
      }),
      { numRuns: 60 },
    );
  });
});

describe('a call that answers an operation', () => {
  const registry = load(`${PARTNER}
flows:
  text: [{ call: TEXT_PUT }]
---
service: Orders.v1
public: true
operations:
  SIGN_IN: { post: "logins/{TENANT}", soap: true, request: { fields: { TENANT: text, USER: text } }, response: LOGIN, call: LOGIN_POST }
  TEXT_POST: { post: texts, request: xml, response: xml, call: Partner.text }
  ORDER_POST:
    put: "orders/{NUMBER}"
    request: { fields: { NUMBER: integer, DAY: date, LINES: { type: list of string, required: true } } }
    response: { fields: { STATUS: { type: text, required: true } } }
    call: ORDER_PUT
`);

  it('is an operation of another system', () => {
    const { answer } = operation(registry, 'SIGN_IN');
    expect(answer).toEqual({ kind: 'call', call: registry.consumers.get('LOGIN_POST') });
    expect(operation(registry, 'SIGN_IN').soap).toBeDefined();
  });

  it('is a flow, also by the name that means the default version', () => {
    expect(operation(registry, 'TEXT_POST').answer).toEqual({ kind: 'call', call: flow(registry, 'Partner.v1.text') });
  });

  it('gives the reply that is in JSON, of several', () => {
    expect(operation(registry, 'ORDER_POST').answer).toEqual({
      kind: 'call',
      call: registry.consumers.get('ORDER_PUT'),
    });
  });
});

describe('the sample', () => {
  const loaded = loadProject({ root: new URL('../../', import.meta.url).pathname });
  const registry = loaded.registry as Registry;

  it('uploads a file with a token and a digest that are kept', () => {
    const upload = flow(registry, 'N_DOCLIB.v1.upload');
    expect(upload.steps.map(keptBy)).toEqual([['ACCESS_TOKEN: access_token'], ['FORM_DIGEST: FormDigestValue'], []]);
    expect(upload.steps.map(({ holds }) => holds?.path)).toEqual([
      ['expires_in'],
      ['FormDigestTimeoutSeconds'],
      undefined,
    ]);
    expect(upload.steps.map(({ renewOn }) => renewOn)).toEqual([[401], [403], []]);
    // What configuration and the file itself fill may be left out.
    expect(required(upload)).toEqual(['SiteName', 'File', 'DocFolder']);
    expect(names(upload.input.fields.filter(({ sensitive }) => sensitive))).toEqual(['ClientSecret']);
  });

  it('answers by the flow, and by one call', () => {
    const call = flow(registry, 'N_DOCLIB.v1.upload');
    expect(operation(registry, 'DOCUMENT_PUT').answer).toEqual({ kind: 'call', call });
    const post = registry.consumers.get('THIRD_PARTY_IMPORT_POST');
    expect(operation(registry, 'IMPORT_POST').answer).toEqual({ kind: 'call', call: post });
  });
});

describe('the input of a flow', () => {
  const registry = load(`
node: PARTNER
base: https://example.org
---
service: Partner.v1
public: true
target: PARTNER
operations:
  FIRST: { soap: true, request: { fields: { KIND: { type: text, default: X }, SEALED: { type: text, required: true, fixed: S }, A: text } }, response: { fields: { GIVEN: text } } }
  SECOND: { soap: true, request: { fields: { KIND: { type: text, required: true }, GIVEN: text } }, response: xml }
flows:
  both:
    - { call: FIRST, keep: { GIVEN: GIVEN } }
    - { call: SECOND }
`);

  it('is required where a step can not do without it, and not where every step fills it in', () => {
    const { fields } = flow(registry, 'Partner.v1.both').input;
    expect(fields.map(({ name, required: isRequired, default: standard }) => [name, isRequired, standard])).toEqual([
      ['KIND', true, undefined],
      ['SEALED', false, undefined],
      ['A', false, undefined],
    ]);
  });
});
