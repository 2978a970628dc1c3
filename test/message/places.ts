/** Places whose changes are published, delivered in order to code and to another system. */
const DEFINITIONS = `queue: PLACE_EVENTS
order: [PLACE]
search: [PLACE, REGION]
---
queue: LOOSE
size: 300 KiB
---
document: PLACE_CHANGE
fields:
  PLACE: { type: string(10), required: true }
  REGION: { type: string(1), default: X }
  N: integer
  SECRET: { type: string, sensitive: true }
---
document: PART
fields: { NAME: string, PARTS: list of PART }
---
service: Places.v1
permission: EVERYTHING
operations:
  PLACE_CHANGED: { post: changed, soap: true, request: PLACE_CHANGE, queue: PLACE_EVENTS }
  PLACE_NOTED: { post: noted, request: PLACE_CHANGE, queue: LOOSE }
  PLACE_TEXT: { post: text, request: { fields: { PLACE: string, TEXT: text, FILE: binary, PARTS: list of PART } }, queue: LOOSE }
  PLACE_FILE: { post: file, request: binary, queue: LOOSE }
  PLACE_LOOP: { post: loop, request: PLACE_CHANGE, queue: LOOSE }
  PLACE_CODE: { post: code, request: { fields: { PLACE: string, HOW: string } }, response: json }
  PLACE_SAVE: { put: "save/{PLACE}", save: PLACES }
---
{ process: PUBLISHES, type: Application Engine, permission: EVERYTHING }
---
node: ERP
base: \${env:ERP_URL}
timeouts: { call: 5 s }
---
service: Erp.v1
target: ERP
permission: EVERYTHING
operations:
  ERP_PUT:
    post: "erp/{Id}"
    retry: { attempts: 1 }
    request: { fields: { Id: { type: string, required: true }, N: integer, Label: string, Fixed: integer } }
---
subscription: TO_ERP
operation: PLACE_CHANGED
when: { REGION: [N, S] }
call: ERP_PUT
map: { Id: "{PLACE}", Label: "{REGION}/{PLACE}", Fixed: 7 }
retry: { first: 20 ms, longest: 40 ms, for: 1 m }
---
subscription: NOTED_TO_ERP
operation: PLACE_NOTED
call: ERP_PUT
map: { Id: "{PLACE}" }
retry: { first: 20 ms, longest: 40 ms, for: 1 m }
---
subscription: PLACE_CACHE
operation: PLACE_CHANGED
handler: place-cache
retry: { first: 20 ms, longest: 40 ms, attempts: 3 }
---
{ subscription: NOT_ACTIVE, operation: PLACE_CHANGED, handler: place-cache, active: false }
---
{ subscription: TEXTS, operation: PLACE_TEXT, handler: texts }
---
{ subscription: FILES, operation: PLACE_FILE, handler: texts }
---
{ subscription: LOOPS, operation: PLACE_LOOP, handler: loops }
---
document: PLACE
fields: { PLACE: { type: string(10), required: true }, NAME: string(20) }
---
component: PLACES
table: place
shape: PLACE
keys: [PLACE]
events:
  - { event: SavePreChange, service: BEFORE, sequence: 1, processing: Pre Process }
  - { event: SavePostChange, service: AFTER, sequence: 1 }
---
{ related-content: BEFORE, class: before, public: true }
---
{ related-content: AFTER, class: after, public: true }
---
permission-list: OTHERS
`;

const TABLES = `create table cached (place varchar(10), n integer, message varchar(36), attempt integer);
create table place (place varchar(10) primary key, name varchar(20));
create table counter (place varchar(10) primary key, n integer);
insert into counter values ('c1', 0);
insert into counter values ('c2', 0);
create table texts (message varchar(36), length integer, digest varchar(64), facts text);
`;

export const PLACES = {
  'definitions/places.yaml': DEFINITIONS,
  'definitions/data/tables.sql': TABLES,
  'src/handlers/place-cache.ts': `export default {
  async onMessage({ PLACE, N }, { execute, messageId, attempt, publish, log }) {
    await execute('insert into cached values (:place, :n, :id, :attempt)', { place: PLACE, n: N, id: messageId, attempt });
    if (PLACE === 'twice' && attempt === 1) throw new Error('not yet');
    if (PLACE === 'never' && N === 1) throw new Error('never');
    if (PLACE === 'causes' && N === 1) await publish('PLACE_CHANGED', { PLACE: 'caused', N: 2 });
  },
};
`,
  'src/handlers/texts.ts': `import { createHash } from 'node:crypto';
export default {
  async onMessage({ TEXT = '', FILE, content = FILE }, { execute, messageId }) {
    const hash = createHash('sha256').update(TEXT);
    let length = TEXT.length;
    for await (const chunk of content?.stream() ?? []) {
      hash.update(chunk);
      length += chunk.length;
    }
    const facts = content === undefined ? '' : content.contentType + ' ' + content.length;
    await execute('insert into texts values (:id, :length, :digest, :facts)', {
      id: messageId, length, digest: hash.digest('hex'), facts,
    });
  },
};
`,
  'src/handlers/loops.ts': `export default {
  async onMessage(message, { publish }) {
    await publish('PLACE_LOOP', message);
  },
};
`,
  'src/handlers/place-code.ts': `export default {
  async onRequest({ PLACE, HOW }, context) {
    if (HOW === 'unknown') return { message: await context.publish('PLACE_CHANGED', { PLACE, MORE: 1 }) };
    if (HOW === 'none') return { message: await context.publish('PLACE_SAVE', { PLACE }) };
    if (HOW === 'large') return { message: await context.publish('PLACE_TEXT', { TEXT: 'x'.repeat(400000) }) };
    if (HOW === 'own') return { message: await context.publish('PLACE_CHANGED', { PLACE }) };
    return context.transaction(async (tx) => {
      if (HOW === 'process') return { instance: await tx.schedule('PUBLISHES') };
      if (HOW === 'inside') await context.publish('PLACE_CHANGED', { PLACE });
      const { rows } = await tx.execute('update counter set n = n + 1 where place = :place returning n', { place: PLACE });
      const message = await tx.publish('PLACE_CHANGED', { PLACE, REGION: 'N', N: Number(rows[0]?.n ?? 0) });
      if (HOW === 'throws') throw new Error('rolled back');
      return { message };
    });
  },
};
`,
  'src/handlers/publishes.ts': `export default {
  async run(parameters, context) {
    await context.complete((tx) => tx.publish('PLACE_CHANGED', { PLACE: 'process' }));
  },
};
`,
  'src/handlers/before.ts': `import { ServiceInterface } from 'signalbox';
export default class extends ServiceInterface {
  async execute({ publish, after }) {
    await publish('PLACE_CHANGED', { PLACE: 'b' + after.PLACE });
    if (after.NAME === 'refused') throw new Error('refused');
  }
}
`,
  'src/handlers/after.ts': `import { ServiceInterface } from 'signalbox';
export default class extends ServiceInterface {
  async execute({ tx, after }) {
    await tx.publish('PLACE_CHANGED', { PLACE: 'a' + after.PLACE });
  }
}
`,
};
