/** The lookup on node:http alone: nothing is checked, measured or logged. Prints its port. */
import { createServer } from 'node:http';
import { employees, LOOKUP_PATH } from '../lookup-data.ts';
import { announce } from '../serving.ts';

announce(
  createServer((request, response) => {
    const [path = '', query = ''] = (request.url ?? '').split('?');
    const region = path.slice(LOOKUP_PATH.length + 1, -1);
    const body = JSON.stringify({ EMP_DATA: employees(region, query.slice('location='.length)) });
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
    response.end(body);
  }),
);
