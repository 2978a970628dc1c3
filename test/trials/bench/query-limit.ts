/**
 * The limit of the stored queries: only node:http, the driver and JSON.stringify: `query-limit.ts <database>`.
 * `/small?from=N` returns a hundred rows at once, `/large?rows=N` streams rows from a cursor.
 */
import { createServer, type ServerResponse } from 'node:http';
import Database from 'better-sqlite3';
import { LARGE, SMALL } from './query-data.ts';
import { announce } from './serving.ts';

/** Rows per write. */
const SLICE = 500;

const database = new Database(process.argv[2] ?? '', { readonly: true });
const small = database.prepare(SMALL);
const large = database.prepare(LARGE);

async function stream(rows: number, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"rows":[');
  let slice: unknown[] = [];
  let between = '';
  for (const row of large.iterate(rows)) {
    slice.push(row);
    if (slice.length < SLICE) continue;
    const free = response.write(between + JSON.stringify(slice).slice(1, -1));
    between = ',';
    slice = [];
    if (!free) await new Promise((resolve) => response.once('drain', resolve));
  }
  response.end(`${slice.length > 0 ? between + JSON.stringify(slice).slice(1, -1) : ''}]}`);
}

announce(
  createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (pathname === '/large') {
      void stream(Number(searchParams.get('rows')), response);
      return;
    }
    const rows = small.all(Number(searchParams.get('from')));
    const body = JSON.stringify({ status: 'success', data: { query: { numrows: rows.length, rows } } });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    response.end(body);
  }),
);
