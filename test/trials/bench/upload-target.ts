/** A target that accepts any content and counts its bytes. Prints its port. */
import { createServer } from 'node:http';
import { announce } from './serving.ts';

announce(
  createServer((request, response) => {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.once('end', () => response.writeHead(200, { 'Content-Type': 'text/plain' }).end(String(bytes)));
  }),
);
