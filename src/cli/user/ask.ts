import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CliFailure } from '../failure.ts';

/** What a password may have at most while it is read; what one may have at all, others check. */
const LONGEST = 65_536;

/**
 * Asks on the terminal for a line that it does not show, and once more for the same.
 * @throws CliFailure where the user gives up, or the two differ
 */
export async function askTwice(question: string): Promise<string> {
  const { stdin, stderr } = process;
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true, historySize: 0 });
  // After Control-Z it waits to be told.
  lines.on('SIGCONT', () => lines.resume());
  // Keeps a line that comes before its question, as of a paste.
  const typed = lines[Symbol.asyncIterator]();
  const ask = async (text: string): Promise<string> => {
    stderr.write(text);
    const { value, done } = await typed.next();
    stderr.write('\n');
    // Control-C closes the interface, and Control-D on an empty line.
    if (done === true) throw new CliFailure('interrupted');
    return value;
  };
  try {
    const first = await ask(question);
    if ((await ask('Once more: ')) !== first) throw new CliFailure('the two passwords are not the same');
    return first;
  } finally {
    lines.close();
  }
}

/** The first line of standard input, without its end. @throws CliFailure where it is no text */
export async function readLine(): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (chunk.includes('\n') || length > LONGEST) break;
  }
  const bytes = Buffer.concat(chunks);
  const end = bytes.indexOf('\n');
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(end < 0 ? bytes : bytes.subarray(0, end));
    return text.replace(/\r$/, '');
  } catch (cause) {
    throw new CliFailure('standard input is not UTF-8', { cause });
  }
}
