import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, header, headOf, jsonAnswer, Refusal, type RequestHead, send, textOf } from './message.ts';
import { startServer } from './server.ts';

/** A plain REST service of another house, behind HTTP Basic. */
export interface ThirdParty {
  /** `http://127.0.0.1:40123/api`. */
  readonly url: string;
  /** Method, target and body of each request that was let in. */
  readonly seen: readonly { readonly method: string; readonly target: string; readonly body: string }[];
  /** The next requests are answered so in place of the usual. */
  answer(...answers: readonly Answer[]): void;
  close(): Promise<void>;
}

export interface ThirdPartyOptions {
  readonly user?: string;
  readonly password?: string;
}

/** The failure shape of the specification, section 2.5. */
export function failureAnswer(status: number, message: string, detail: string): Answer {
  return jsonAnswer({ error: { message, detail }, status: 'failure' }, { status });
}

/**
 * Takes imports (an array of objects that each have a `name`; a row without one is told as such), gives items (2.8), and
 * repeats JSON byte for byte.
 */
export async function startThirdParty({ user = 'signalbox', password = '' }: ThirdPartyOptions): Promise<ThirdParty> {
  const seen: { method: string; target: string; body: string }[] = [];
  const answers: Answer[] = [];
  const right = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

  async function reply(request: IncomingMessage): Promise<Answer> {
    const head = headOf(request);
    if (header(head, 'Authorization') !== right)
      throw new Refusal(401, 'who are you?', { 'WWW-Authenticate': 'Basic realm="imports", charset="UTF-8"' });
    const { method, target } = head;
    const body = await textOf(request);
    seen.push({ method, target, body });
    const resource = RESOURCES[`${method} ${target}`];
    if (resource === undefined) throw new Refusal(404, `there is no ${method} ${target}`);
    return answers.shift() ?? resource(head, body);
  }

  const server = await startServer(
    async (request: IncomingMessage, response: ServerResponse) => {
      const answer = await reply(request).catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error;
        return error.answer;
      });
      send(response, answer);
    },
    { tls: false },
  );
  return {
    url: `http://${server.address}/api`,
    seen,
    answer: (...more) => void answers.push(...more),
    close: () => server.close(),
  };
}

type Resource = (head: RequestHead, body: string) => Answer;

const RESOURCES: Readonly<Record<string, Resource>> = {
  'POST /api/import': takeImport,
  'GET /api/items': giveItems,
  'POST /api/echo': repeat,
};

function takeImport(head: RequestHead, body: string): Answer {
  const rows = json(head, body);
  if (!Array.isArray(rows)) return failureAnswer(400, 'Not an array', 'An import is an array of objects.');
  const result = rows.map((row: { name?: unknown }) =>
    typeof row?.name === 'string'
      ? { status: 'inserted', error_message: '' }
      : { status: 'error', error_message: 'name is missing' },
  );
  return jsonAnswer({ import_set: 'ISET0010001', staging_table: 'u_import', result });
}

function giveItems(head: RequestHead, body: string): Answer {
  const accept = header(head, 'Accept') ?? '*/*';
  if (!/application\/(\*|xml)|\*\/\*/.test(accept)) throw new Refusal(406, 'there is XML only');
  if (body !== '') throw new Refusal(400, 'there is a body, where none belongs');
  return { status: 200, headers: { 'Content-Type': 'application/xml; charset=UTF-8' }, body: ITEMS };
}

/** In the order of the specification: key, value, type. What nobody declared stands among it. */
const ITEMS = `<?xml version="1.0" encoding="UTF-8"?>
<root created="2026-01-31">
  <level1>
    <level2>
      <level3>
        <item><key>colour</key><value>green &amp; blue</value><type>string</type></item>
        <item><key>size</key><value>12</value><type>integer</type><unit>cm</unit></item>
      </level3>
    </level2>
  </level1>
</root>
`;

function repeat(head: RequestHead, body: string): Answer {
  json(head, body);
  return { status: 200, headers: { 'Content-Type': 'application/json' }, body };
}

function json(head: RequestHead, body: string): unknown {
  const type = header(head, 'Content-Type');
  if (type === undefined || !/^application\/json(; *charset=utf-8)?$/i.test(type))
    throw new Refusal(415, 'Content-Type is not application/json');
  try {
    return JSON.parse(body);
  } catch {
    throw new Refusal(400, 'the body is no JSON');
  }
}
