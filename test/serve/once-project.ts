import Database from 'better-sqlite3';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createDatabase, hasPostgres } from '../support/postgres.ts';
import { gatewayText } from '../support/project.ts';

const DEFINITIONS = `document: PAYMENT
fields: { KIND: { type: string(20), required: true }, AMOUNT: integer }
---
document: RECEIPT
fields: { KIND: string, RUN: integer }
---
document: ENTRY
fields: { ID: { type: string(10), required: true }, TEXT: string(20) }
---
{ component: ENTRIES, table: entry, shape: ENTRY, keys: [ID] }
---
{ queue: PAYMENTS }
---
service: Pay.v1
permission: EVERYTHING
once: 24 h
request: PAYMENT
operations:
  PAY: { post: "pay/{KIND}", soap: true, response: RECEIPT, status: 201 }
  PAY_OPEN: { post: "open/{KIND}", public: true, response: RECEIPT, handler: pay }
  PAY_NAMED: { post: "named/{KIND}", soap: true, once: { for: 1 h, required: true }, response: RECEIPT, handler: pay }
  PAY_SMALL: { post: "small/{KIND}", once: { for: 1 h, size: 10 B }, response: RECEIPT, handler: pay }
  PAY_ALWAYS: { post: "always/{KIND}", once: false, response: RECEIPT, handler: pay }
  PAY_OR_LOOK: { post: "look/{KIND}", writes: { KIND: pays }, response: RECEIPT, handler: pay }
  PAY_FILE: { post: "file/{KIND}", response: binary }
  PAY_NOTE: { soap: true }
  PAY_SCAN: { soap: true, request: { fields: { KIND: string, SCAN: binary } }, response: RECEIPT, handler: pay }
  UPLOAD: { post: "upload/{KIND}", request: { fields: { KIND: string, FILE: { type: binary, required: true } } }, body: FILE, response: RECEIPT }
  RUNS: { get: "runs/{KIND}", response: RECEIPT }
  GO_ON: { post: "go-on/{KIND}", once: false, response: none }
  PAY_LATER: { post: "later/{KIND}", queue: PAYMENTS, request: PAYMENT }
  ENTRY_POST: { post: entries, save: ENTRIES }
  ENTRY_PUT: { put: "entries/{ID}", save: ENTRIES }
`;

const SHARED = `export const runs = new Map();
export const waiting = new Map();
export const run = (KIND) => {
  const RUN = (runs.get(KIND) ?? 0) + 1;
  runs.set(KIND, RUN);
  return RUN;
};
`;

const FILES = {
  'definitions/pay.yaml': DEFINITIONS,
  'src/shared.ts': SHARED,
  'src/handlers/pay.ts': `import { Fault } from 'signalbox';
import { run, waiting } from '../shared.ts';
export default {
  async onRequest({ KIND }, context) {
    const RUN = run(KIND);
    if (KIND.startsWith('waits')) await new Promise((resolve) => waiting.set(KIND, [...(waiting.get(KIND) ?? []), resolve]));
    if (KIND === 'fails' && RUN === 1) throw new Error('the first run fails');
    if (KIND === 'refuses') throw Fault.custom('TOO_MUCH', 422, 'Too much, run ' + RUN + '.');
    if (KIND === 'limits') throw Fault.custom('SLOW', 429, 'Slowly.');
    if (KIND.startsWith('commits')) {
      await context.transaction((tx) => tx.execute("insert into paid (kind) values (:KIND)", { KIND }));
      if (KIND === 'commits-fails') throw new Error('fails after its commit');
    }
    return context.reply({ KIND, RUN }, { headers: { 'X-Run': String(RUN) } });
  },
};
`,
  'src/handlers/pay-file.ts': `import { run } from '../shared.ts';
export default {
  onRequest({ KIND, AMOUNT }, context) {
    const RUN = run(KIND);
    async function* body() { for (let n = 0; n < AMOUNT; n++) yield Buffer.from('run ' + RUN + ' '.repeat(95)); }
    return context.bytes({ contentType: 'text/plain', length: AMOUNT * 100, body });
  },
};
`,
  'src/handlers/pay-note.ts': `import { run } from '../shared.ts';
export default { onRequest({ KIND }) { run(KIND); return {}; } };
`,
  'src/handlers/upload.ts': `import { run } from '../shared.ts';
export default {
  async onRequest({ KIND, FILE }) {
    for await (const chunk of FILE.stream()) void chunk;
    return { KIND, RUN: run(KIND) };
  },
};
`,
  'src/handlers/runs.ts': `import { runs } from '../shared.ts';
export default { onRequest: ({ KIND }) => ({ KIND, RUN: runs.get(KIND) ?? 0 }) };
`,
  'src/handlers/go-on.ts': `import { waiting } from '../shared.ts';
export default { onRequest({ KIND }) { for (const goOn of waiting.get(KIND) ?? []) goOn(); return {}; } };
`,
  'migrations/0001-pay.sql': `create table paid (kind varchar(20) not null);
create table entry (id varchar(10) primary key, text varchar(20));
`,
};

export const ENGINES = hasPostgres ? (['sqlite', 'postgres'] as const) : (['sqlite'] as const);

export interface PayGateway extends TestGateway {
  /** Runs a statement in the gateway's database. */
  rows(sql: string): Promise<Record<string, unknown>[]>;
  /** Starts another gateway of the same project and database. */
  another(): Promise<TestGateway>;
}

/** A gateway whose operations count how often they ran. */
export async function startPay(kind: 'sqlite' | 'postgres'): Promise<PayGateway> {
  const database = kind === 'postgres' ? await createDatabase({ migrated: true }) : undefined;
  const env = database === undefined ? {} : { DATABASE_URL: database.url };
  const files = { ...FILES, 'definitions/gateway.yaml': gatewayText('migrations: migrations') };
  const box = await startTestGateway({ files, env });
  const file = `${box.folder}/test.db`;
  const others: TestGateway[] = [];
  return {
    ...box,
    async rows(sql) {
      if (database !== undefined) return (await database.run(sql)).rows;
      const opened = new Database(file);
      try {
        const statement = opened.prepare<[], Record<string, unknown>>(sql);
        if (statement.reader) return statement.all();
        statement.run();
        return [];
      } finally {
        opened.close();
      }
    },
    async another() {
      const other = await startTestGateway({ files, env: { DATABASE_URL: database?.url ?? `sqlite:${file}` } });
      others.push(other);
      return other;
    },
    async stop() {
      for (const other of others) await other.stop();
      await box.stop();
      await database?.drop();
    },
  };
}
