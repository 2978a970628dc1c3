/**
 * A request that inserts one job by hand, in a transaction on a pool as large as the gateway's for tables:
 * `insert-server.ts <database URL>`. Prints its port.
 */
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import pg from 'pg';
import { announce } from '../serving.ts';

const DAY_MS = 86_400_000;

const pool = new pg.Pool({ connectionString: process.argv[2], max: 8 });
await pool.query(
  'create table if not exists bench_job (id bigserial primary key, name text not null, data jsonb not null, due timestamptz not null)',
);
const text = 'insert into bench_job (name, data, due) values ($1, $2, $3) returning id';

async function insert(data: object): Promise<string> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const values = ['BENCH_JOB', data, new Date(Date.now() + DAY_MS)];
    const { rows } = await client.query({ name: 'insert', text, values });
    await client.query('commit');
    // The load client needs replies of one size.
    return `${rows[0].id}`.padStart(10, '0');
  } finally {
    client.release();
  }
}

announce(
  createServer(async (request, response) => {
    const body = JSON.stringify({ INSTANCE: await insert((await json(request)) as object) });
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
    response.end(body);
  }),
);
