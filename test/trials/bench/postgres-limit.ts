/**
 * The limit of the stored queries on PostgreSQL: only node:http, the driver and JSON.stringify: `postgres-limit.ts <url>`.
 * `/small?from=N` returns a hundred rows at once, `/large?rows=N` streams rows from a cursor.
 */
import { createServer, type ServerResponse } from 'node:http';
import pg from 'pg';
import Cursor from 'pg-cursor';
import { LARGE_POSTGRES, SMALL_POSTGRES } from './postgres-data.ts';
import { announce } from './serving.ts';

/** Rows per read and write. */
const SLICE = 2000;

// The same number of connections as the gateway has for queries.
const pool = new pg.Pool({ connectionString: process.argv[2], max: 8 });

async function stream(rows: number, response: ServerResponse): Promise<void> {
  const client = await pool.connect();
  const cursor = client.query(new Cursor(LARGE_POSTGRES, [rows]));
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"rows":[');
  let between = '';
  for (;;) {
    const slice = await cursor.read(SLICE);
    if (slice.length === 0) break;
    const free = response.write(between + JSON.stringify(slice).slice(1, -1));
    between = ',';
    if (!free) await new Promise((resolve) => response.once('drain', resolve));
  }
  await cursor.close();
  client.release();
  response.end(']}');
}

announce(
  createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (pathname === '/large') return stream(Number(searchParams.get('rows')), response);
    const values = [Number(searchParams.get('from'))];
    const { rows } = await pool.query({ name: 'small', text: SMALL_POSTGRES, values });
    const body = JSON.stringify({ status: 'success', data: { query: { numrows: rows.length, rows } } });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    response.end(body);
  }),
);
