/** A target of messages: reads each, and answers 200 without a body. Prints its port. */
import { createServer } from 'node:http';
import { announce } from './serving.ts';

announce(createServer((request, response) => void request.resume().on('end', () => response.end())));
