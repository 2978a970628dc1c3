const DEFINITIONS = `document: SAID
fields: { MESSAGE: { type: text, default: "{fault.message}" }, CODE: { type: string, default: "{fault.code}" } }
---
document: ANSWER
fields: { NAME: string(5), COUNT: integer, LIST: { list: { fields: { N: { type: integer, required: true } } } } }
---
service: Code.v1
permission: EVERYTHING
response: ANSWER
operations:
  FAULT: { get: "fault/{KIND}", request: { fields: { KIND: string } }, fault: SAID }
  BROKEN: { get: "broken/{KIND}", request: { fields: { KIND: string } } }
  MISFIT: { get: "misfit/{KIND}", request: { fields: { KIND: string } }, handler: misfit }
  HANGS: { get: hangs, fault: SAID }
  ON_ERROR: { get: "on-error/{KIND}", request: { fields: { KIND: string } }, fault: SAID }
  REPLY: { get: "reply/{KIND}", request: { fields: { KIND: string } } }
  BYTES: { get: "bytes/{KIND}", request: { fields: { KIND: string } }, response: binary }
  FACTS: { get: ["facts", "facts/{ID}"], request: { fields: { ID: integer } }, response: json, handler: facts }
  OPEN_FACTS: { get: open-facts, public: true, response: json, handler: facts }
  QUERIES: { get: "queries/{KIND}", request: { fields: { KIND: string } }, response: json }
  OPEN_QUERIES: { get: "open-queries/{KIND}", public: true, request: { fields: { KIND: string } }, response: json, handler: queries }
  WAITS: { get: waits }
---
query: DOUBLED
permission: EVERYTHING
prompts: { N: { type: integer, required: true, minimum: 1 }, S: string(3) }
columns: { TWICE: integer, S: string }
sql: select :N * 2 as twice, :S as s
---
permission-list: NOBODY
---
query: FORBIDDEN_FRUIT
permission: NOBODY
columns: { N: integer }
sql: select 1 as n
---
query: COUNTED
public: true
columns: { N: integer }
sql: with recursive c(n) as (select 1 union all select n + 1 from c where n < 50) select n from c
`;

/** Files of a project whose operations are answered by code of every kind, right and wrong. */
export const CODE_PROJECT = {
  'definitions/code.yaml': DEFINITIONS,
  'src/handlers/fault.ts': `import { Fault } from 'signalbox';
export default {
  onRequest({ KIND }) {
    if (KIND === 'catalogue') throw Fault.of('NOT_FOUND', { what: 'location ' + KIND });
    if (KIND === 'own') throw Fault.custom('TOO_EARLY', 425, 'Come back later.', { headers: { 'Retry-After': '7' } });
    if (KIND === 'caused') throw Fault.custom('UPSTREAM', 502, 'No answer.', { cause: new Error('hidden cause') });
    if (KIND === 'header') throw Fault.custom('ODD', 409, 'Odd.', { headers: { 'X-Odd': 'a\\r\\nb: c' } });
    if (KIND === 'framing') throw Fault.custom('ODD', 409, 'Odd.', { headers: { 'content-length': '1' } });
    throw Fault.custom('TEXT', 418, 'é <&> "quoted" \\u0000 ]]>');
  },
};
`,
  'src/handlers/broken.ts': `export default {
  async onRequest({ KIND }) {
    if (KIND === 'error') throw new Error('secret detail of the database');
    if (KIND === 'null') throw null;
    if (KIND === 'text') throw 'secret detail in a text';
    return undefined;
  },
};
`,
  'src/handlers/misfit.ts': `export default {
  onRequest: ({ KIND }) => ({
    long: { NAME: 'longer than five' },
    type: { COUNT: 'seven' },
    unknown: { NAME: 'ok', OTHER: 1 },
    deep: { LIST: [{ N: 1 }, {}] },
    list: [],
    text: 'text',
    unsafe: { COUNT: 2 ** 60 },
  })[KIND],
};
`,
  'src/handlers/hangs.ts': `export default {
  onRequest(_, context) {
    return new Promise((_, reject) => {
      context.signal.addEventListener('abort', () => {
        context.log('info', 'noticed', { reason: context.signal.reason?.code });
        reject(context.signal.reason);
      });
    });
  },
  onError: (fault) => 'late: ' + fault.message,
};
`,
  'src/handlers/on-error.ts': `import { Fault } from 'signalbox';
export default {
  onRequest({ KIND }) {
    if (KIND === 'misfit') return { NAME: 'longer than five' };
    throw Fault.custom('REFUSED', 409, 'The first words.');
  },
  async onError(fault, { KIND }, context) {
    if (KIND === 'throws') throw new Error('secret of onError');
    if (KIND === 'nothing') return undefined;
    if (KIND === 'hangs') return new Promise(() => {});
    return fault.code + ' for ' + context.caller.user + ': ' + fault.message;
  },
};
`,
  'src/handlers/reply.ts': `export default {
  onRequest({ KIND }, context) {
    if (KIND === 'created') return context.reply({ NAME: 'new' }, { status: 201, headers: { Location: '/x/1', 'X-Own': 'yes' } });
    if (KIND === 'moved') return context.reply({}, { status: 303, headers: { Location: '/elsewhere' } });
    if (KIND === 'kept') return context.reply({}, { headers: { 'cache-control': 'max-age=60', vary: 'X-Own' } });
    if (KIND === 'reset') return context.reply({ NAME: 'gone' }, { status: 205 });
    if (KIND === 'unchanged') return context.reply({}, { status: 304 });
    if (KIND === 'status') return context.reply({}, { status: 500 });
    if (KIND === 'split') return context.reply({}, { headers: { 'X-Own': 'a\\r\\nSet-Cookie: b' } });
    if (KIND === 'framing') return context.reply({}, { headers: { 'Content-Length': '1' } });
    return context.reply({}, { headers: { 'Content-Type': 'text/html' } });
  },
};
`,
  'src/handlers/bytes.ts': `const state = globalThis.bytesOfTest = { disposed: [] };
export default {
  onRequest({ KIND }, context) {
    const make = (length, body, more = {}) =>
      context.bytes({ contentType: 'text/x-test', length, body, dispose: () => state.disposed.push(KIND), ...more });
    const enc = new TextEncoder();
    switch (KIND) {
      case 'whole': return make(3, enc.encode('abc'), { status: 206, headers: { 'X-Own': 'yes' } });
      case 'stream': return make(6, async function* () { yield enc.encode('abc'); yield enc.encode('def'); });
      case 'empty': return make(0, async function* () {});
      case 'short': return make(9, async function* () { yield enc.encode('abc'); });
      case 'long': return make(4, async function* () { yield enc.encode('abc'); yield enc.encode('def'); });
      case 'wrong': return make(9, enc.encode('abc'));
      case 'fails-first': return make(9, async function* () { throw new Error('secret before the first byte'); });
      case 'fails-later': return make(9, async function* () { yield enc.encode('abc'); throw new Error('secret in the middle'); });
      case 'hangs': return make(9, async function* () { await new Promise(() => {}); });
      case 'unopened': return make(9, () => { throw new Error('secret of what is not there'); });
      case 'unclosed': return make(3, async function* () { try { yield enc.encode('abc'); } finally { throw new Error('secret at the end'); } });
      case 'emptied': return make(3, enc.encode('abc'), { status: 204 });
      case 'untouched': return make(3, async function* () { yield enc.encode('abc'); }, { status: 304 });
      case 'type': return context.bytes({ contentType: 'text/x\\r\\nX-Own: no', length: 0, body: new Uint8Array() });
      case 'endless': return make(Infinity, async function* () {});
      case 'negative': return make(-1, async function* () {});
      case 'large': return make(8 * 65536 * 16, async function* () { for (let i = 0; i < 8 * 16; i++) yield new Uint8Array(65536); });
    }
  },
};
`,
  'src/handlers/facts.ts': `export default {
  onRequest(given, { operation, uriIndex, caller, requestId, log }) {
    return { given: { ...given }, operation: operation.id, uriIndex, user: caller.user ?? null, requestId };
  },
};
`,
  'src/handlers/queries.ts': `export default {
  async onRequest({ KIND }, context) {
    const text = (value) => JSON.stringify(value, (_, each) => typeof each === 'bigint' ? each + 'n' : each);
    switch (KIND) {
      case 'rows': return text(await context.query('DOUBLED', { N: 4503599627370497n, S: 'abc' }));
      case 'limited': return text((await context.query('COUNTED', {}, { maxrows: 3 })).length);
      case 'unlimited': return text((await context.query('COUNTED')).length);
      case 'forbidden': return context.query('FORBIDDEN_FRUIT');
      case 'unknown': return context.query('DOUBLE');
      case 'missing': return context.query('DOUBLED', { S: 'abc' });
      case 'type': return context.query('DOUBLED', { N: '1 or 1=1' });
      case 'small': return context.query('DOUBLED', { N: 0 });
      case 'long': return context.query('DOUBLED', { N: 1, S: 'longer' });
      case 'stranger': return context.query('DOUBLED', { N: 1, X: 1 });
    }
  },
};
`,
  'src/handlers/waits.ts': `export default {
  async onRequest(_, context) {
    context.log('info', 'waiting');
    await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
    context.log('info', 'stopped waiting');
    throw new Error('the work was given up');
  },
};
`,
};
