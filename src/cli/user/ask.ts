import { StringDecoder } from 'node:string_decoder';
import { CliFailure } from '../failure.ts';

/** What a password may have at most while it is read; what one may have at all, others check. */
const LONGEST = 65_536;

/** Asks on the terminal for a line that it does not show. @throws CliFailure where the user gives up */
export async function askHidden(question: string): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write(question);
  stdin.setRawMode(true);
  stdin.resume();
  try {
    return await new Promise((resolve, reject) => {
      const decoder = new StringDecoder('utf8');
      let typed: readonly string[] = [];
      const end = (): void => {
        stdin.off('data', take);
        stdin.off('end', gone);
      };
      const gone = (): void => {
        end();
        reject(new CliFailure('interrupted'));
      };
      const take = (chunk: Buffer): void => {
        for (const character of decoder.write(chunk)) {
          if (character === '\r' || character === '\n') {
            end();
            resolve(typed.join(''));
            return;
          }
          // Control-C and Control-D.
          if (character === '\x03' || character === '\x04') {
            gone();
            return;
          }
          typed = typedAfter(typed, character);
        }
      };
      stdin.on('data', take);
      stdin.on('end', gone);
    });
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write('\n');
  }
}

/** Backspace takes the last character back, Control-U all. */
function typedAfter(typed: readonly string[], character: string): readonly string[] {
  if (character === '\x7f' || character === '\b') return typed.slice(0, -1);
  return character === '\x15' ? [] : [...typed, character];
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
