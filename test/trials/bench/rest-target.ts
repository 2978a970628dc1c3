/** A cheap target: answers `GET /<bytes>/orders/<number>` with an order of about that size. Prints its port. */
import { createServer } from 'node:http';
import { echoValue } from './echo-data.ts';
import { announce } from './serving.ts';

const replies = new Map<string, Buffer>();

function replyTo(path: string): Buffer {
  const size = path.split('/')[1] ?? '';
  const known = replies.get(size) ?? Buffer.from(JSON.stringify(echoValue(Number(size))));
  replies.set(size, known);
  return known;
}

announce(
  createServer((request, response) => {
    const reply = replyTo(request.url ?? '');
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': reply.length });
    response.end(reply);
  }),
);
