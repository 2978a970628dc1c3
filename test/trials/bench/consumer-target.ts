/** A cheap target: answers `POST /<bytes>` with a reply of about that size. Prints its port. */
import { createServer } from 'node:http';
import { echoReply } from './echo-data.ts';
import { announce } from './serving.ts';

const replies = new Map<string, Buffer>();

function replyTo(path: string): Buffer {
  const known = replies.get(path) ?? Buffer.from(echoReply(Number(path.slice(1))));
  replies.set(path, known);
  return known;
}

announce(
  createServer((request, response) => {
    request.resume().once('end', () => {
      const reply = replyTo(request.url ?? '');
      response.writeHead(200, { 'Content-Type': 'text/xml; charset=utf-8', 'Content-Length': reply.length });
      response.end(reply);
    });
  }),
);
