/** The same contract on the server of the `soap` package: `soap-server.ts <wsdl>`. Prints its port. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { listen } from 'soap';
import { announce } from '../serving.ts';

const [, , file = ''] = process.argv;
const answer = (request: object): object => request;
const port = { ECHO: answer };
const server = createServer((_, response) => response.writeHead(404).end());
listen(server, {
  path: '/echo',
  services: { EchoService: { EchoSoap11Port: port, EchoSoap12Port: port } },
  xml: readFileSync(file, 'utf8'),
  // The load client needs replies with a Content-Length.
  enableChunkedEncoding: false,
});
announce(server);
