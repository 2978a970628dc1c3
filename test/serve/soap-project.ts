import { gatewayText } from '../support/project.ts';

/** Namespace of the service below. */
export const NS = 'urn:test:Soap.v1';

/** Bytes of the limits below. */
export const LIMITS = { body: 64 * 1024, attachment: 256 * 1024, attachments: 4 } as const;

const DEFINITIONS = `document: SAID
fields: { MESSAGE: { type: text, default: "{fault.message}" }, CODE: { type: string, default: "{fault.code}" } }
---
document: ALL
fields:
  S: { type: string(40), minimum: 1 }
  T: text
  I: integer
  D: decimal(20.4)
  B: boolean
  F: flag
  DA: date
  TI: time
  DT: datetime
  U: uuid
  L: uri
  J: json
  X: xml
  AT: { type: string, attribute: true }
  BIN: binary
  NAMES: list of string
  SUB: { fields: { N: { type: integer, required: true }, CONTENT: binary } }
  FLAT: { type: list of string, flat: true }
---
document: NAMED
fields: { NAME: { type: string(40), required: true, minimum: 1 }, CONTENT: { type: binary, required: true } }
---
service: Soap.v1
permission: EVERYTHING
fault: SAID
operations:
  ECHO: { post: echo, soap: true, request: ALL, response: ALL }
  TWINNED: { get: "twinned/{S}", soap: TWIN, request: { fields: { S: string } }, response: ALL, handler: echo }
  PUT:
    soap: true
    request: NAMED
    response: { fields: { LENGTH: integer, SHA256: string, TYPE: string } }
    handler: blob-put
  GET:
    soap: true
    request: { fields: { NAME: { type: string, required: true } } }
    response: { fields: { CONTENT: { type: binary, required: true } } }
    handler: blob-get
  NOTIFY: { soap: true, request: { fields: { TEXT: string } }, fault: none }
  OPEN: { soap: true, public: true, request: ALL, response: ALL, handler: echo }
  GUARDED: { soap: true, permission: NOBODY, request: ALL, response: ALL, handler: echo }
  FAILS: { soap: true, request: { fields: { KIND: string } }, response: ALL }
  BARE_FAILS: { soap: true, fault: none, request: { fields: { KIND: string } }, response: ALL, handler: fails }
  RAW: { soap: true, request: xml, response: xml }
  TEXT: { soap: true, request: text, response: text, handler: content }
  JSON: { soap: true, request: json, response: json, handler: content }
  BINARY: { soap: true, request: binary, response: binary, handler: content }
  BYTES: { soap: true, request: none, response: binary, writes: false }
  KEEPS:
    get: "keeps/{FORM}"
    soap: true
    request: { fields: { FORM: { type: string, enum: [PAGE, FILE] } } }
    response: { fields: { FORM: string } }
    writes: { FORM: FILE }
    handler: echo
  ALL_ROWS: { soap: true, query: ALL_ROWS }
  MARKED: { soap: true, request: { fields: { COUNT: integer, MARKERS: string } }, response: xml }
  IGNORES: { soap: true, request: ALL, response: ALL }
  HANGS: { soap: true, request: ALL, response: ALL }
  FACTS:
    get: ["facts/{ID}", "facts/{ID}/{REGION}", "facts/?name={NAME}"]
    soap: true
    request: { fields: { ID: integer, REGION: string, NAME: string } }
    response: { fields: { INDEX: integer, USER: string, OPERATION: string, GIVEN: json } }
  ROWS: { get: "rows/{N}{?maxrows}", soap: true, query: ROWS }
  LISTED:
    soap: true
    request: { fields: { N: integer } }
    response: { fields: { LIST: { list: { fields: { N: integer } } } } }
    query: { LIST: ROWS }
  SWITCHED_OFF: { soap: true, active: false, request: ALL, response: ALL, handler: echo }
---
permission-list: NOBODY
---
query: ROWS
permission: EVERYTHING
rows: 50000
prompts: { N: { type: integer, required: true } }
columns: { N: integer, NAME: string }
sql: with recursive c(n) as (select 1 union all select n + 1 from c where n < :N) select n, 'row <' || n || '> & more' as name from c
---
query: ALL_ROWS
permission: EVERYTHING
columns: { NAME: string }
sql: select 'row <1> & more' as name
---
node: PARTNER
base: https://partner.example
`;

const HANDLERS = {
  'src/handlers/echo.ts': 'export default { onRequest: (given) => given };\n',
  'src/handlers/content.ts': 'export default { onRequest: ({ content }) => content };\n',
  'src/handlers/blob-put.ts': `export default {
  async onRequest({ NAME, CONTENT }, context) {
    const { length, sha256, contentType } = await context.blobs.put(NAME, CONTENT);
    return { LENGTH: length, SHA256: sha256, TYPE: contentType };
  },
};
`,
  'src/handlers/blob-get.ts': `import { Fault } from 'signalbox';
export default {
  async onRequest({ NAME }, context) {
    const CONTENT = await context.blobs.get(NAME);
    if (CONTENT === undefined) throw Fault.custom('NO_SUCH_BLOB', 404, 'There is no ' + NAME + '.');
    return { CONTENT };
  },
};
`,
  'src/handlers/notify.ts': `export default {
  onRequest({ TEXT }, context) {
    if (TEXT === 'throw') throw new Error('secret of a one-way operation');
    context.log('info', 'notified', { text: TEXT });
    return {};
  },
};
`,
  'src/handlers/fails.ts': `import { Fault } from 'signalbox';
export default {
  onRequest({ KIND }) {
    const [code, status] = KIND.split(' ');
    if (code === 'ERROR') throw new Error('secret of the database');
    if (code === 'MISFIT') return { I: 'no number' };
    throw Fault.custom(code, Number(status), 'It said <' + code + '> & failed.', { headers: { 'Retry-After': '7' } });
  },
};
`,
  'src/handlers/raw.ts': `export default {
  async onRequest({ content }, context) {
    const seen = [];
    for await (const segment of context.segments()) {
      const bytes = Buffer.concat(await Array.fromAsync(segment.stream()));
      seen.push('<segment type="' + segment.contentType + '" name="' + (segment.name ?? '') + '">' + bytes.toString() + '</segment>');
    }
    return '<seen>' + content + seen.join('') + '</seen>';
  },
};
`,
  'src/handlers/bytes.ts': `const state = (globalThis.soapBytesOfTest = { disposed: 0 });
export default {
  onRequest: (_, context) =>
    context.bytes({
      contentType: 'text/x-test',
      length: 6,
      body: async function* () { yield Buffer.from('abc'); yield Buffer.from('def'); },
      dispose: () => state.disposed++,
    }),
};
`,
  'src/handlers/marked.ts': `export default {
  onRequest({ COUNT, MARKERS }, context) {
    const segments = Array.from({ length: COUNT }, (_, index) => ({
      contentType: 'text/x-segment',
      name: 'ségment ' + index,
      length: 9,
      stream: async function* () { yield Buffer.from('segment ' + index); },
    }));
    const markers = (MARKERS ?? '').split(' ').filter((each) => each !== '');
    const content = '<marked>' + markers.map((each) => '<Include SegmentNumber="' + each + '"/>').join('|') + '</marked>';
    return context.reply(content, { segments, headers: { 'X-Own': 'yes' }, status: 201 });
  },
};
`,
  'src/handlers/ignores.ts': 'export default { onRequest: () => ({ S: "not read" }) };\n',
  'src/handlers/hangs.ts': `export default {
  async onRequest({ BIN }, context) {
    for await (const _ of BIN?.stream() ?? []);
    context.log('info', 'hanging');
    await new Promise((_, reject) => context.signal.addEventListener('abort', () => reject(context.signal.reason)));
  },
};
`,
  'src/handlers/facts.ts': `export default {
  onRequest: (given, { uriIndex, caller, operation }) =>
    ({ INDEX: uriIndex, USER: caller.user, OPERATION: operation.id, GIVEN: { ...given } }),
};
`,
};

/** Files of a project whose operations are called over SOAP: every kind of message, right and wrong. */
export function soapProject(more = ''): Record<string, string> {
  const limits = `limits: { body: 64 KiB, attachment: 256 KiB, attachments: ${LIMITS.attachments}, timeout: 10 s }`;
  return {
    'definitions/gateway.yaml': gatewayText(more.includes('limits:') ? more : `${limits}\n${more}`),
    'definitions/soap.yaml': DEFINITIONS,
    ...HANDLERS,
  };
}
