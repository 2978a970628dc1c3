/**
 * Files over plain node:http, to disk and back: PUT answers with the SHA-256 of the content, GET returns it:
 * `files-limit.ts <folder>`. Prints its port.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { announce } from './serving.ts';

const [, , folder = '.'] = process.argv;
const MIB = 1_048_576;

announce(
  createServer(async (request, response) => {
    const file = join(folder, `limit-${(request.url ?? '').slice(1)}`);
    if (request.method === 'PUT') {
      const hash = createHash('sha256');
      const hashing = new Transform({
        transform(chunk: Buffer, _, done) {
          hash.update(chunk);
          done(null, chunk);
        },
      });
      await pipeline(request, hashing, createWriteStream(file, { highWaterMark: MIB }));
      response.end(hash.digest('hex'));
    } else {
      response.setHeader('Content-Length', statSync(file).size);
      // A client that has the complete reply can close the connection before this side knows that everything was sent.
      await pipeline(createReadStream(file, { highWaterMark: MIB }), response).catch(() => response.destroy());
    }
  }),
);
