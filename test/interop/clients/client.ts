// Calls services with the package `soap`. Reads sessions as JSON, writes what came of each call: see ../soap-support.ts.
import { json } from 'node:stream/consumers';
import { BasicAuthSecurity, type Client, createClientAsync } from 'soap';
import type { Answer, Call, Session, SessionResult } from '../soap-support.ts';

/** The package's form of bytes is base64; of elements that the schema leaves open it is XML as it stands. */
function given(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(given);
  if (typeof value !== 'object' || value === null) return value;
  if ('base64' in value) return value.base64;
  if ('any' in value) return { $xml: (value.any as string[]).join('') };
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, given(each)]));
}

function told(value: unknown, key: string, binary: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((each) => told(each, key, binary));
  if (typeof value === 'string' && binary.includes(key)) return { base64: value };
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  const { attributes = {}, ...fields } = value as Record<string, object>;
  return {
    ...Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, told(each, name, binary)])),
    ...attributes,
  };
}

async function call(client: Client, { operation, argument }: Call, binary: readonly string[]): Promise<Answer> {
  try {
    const [reply] = await client[`${operation}Async`](given(argument));
    return { reply: told(reply, operation, binary) };
  } catch (error) {
    const { root } = error as { readonly root?: { readonly Envelope: { readonly Body: { readonly Fault: Faults } } } };
    if (root === undefined) return { error: String(error) };
    const { Fault: fault } = root.Envelope.Body;
    return 'Code' in fault
      ? { fault: { code: fault.Code.Value, reason: fault.Reason.Text.$value, detail: fault.Detail } }
      : { fault: { code: fault.faultcode, reason: fault.faultstring, detail: fault.detail } };
  }
}

/** Faults of SOAP 1.2 and 1.1, as the package gives them. */
type Faults =
  | {
      readonly Code: { Value: string };
      readonly Reason: { readonly Text: { $value: string } };
      readonly Detail?: unknown;
    }
  | { readonly faultcode: string; readonly faultstring: string; readonly detail?: unknown };

async function run({ wsdl, user, password, version, trace, binary, calls }: Session): Promise<SessionResult> {
  const client = await createClientAsync(wsdl, version === '1.2' ? { forceSoap12Headers: true } : {});
  client.setSecurity(new BasicAuthSecurity(user, password));
  const answers: Record<string, Answer> = {};
  for (const [name, each] of Object.entries(calls)) {
    const answer = await call(client, each, binary);
    const { lastRequest: sent = '', lastResponse: received } = client;
    answers[name] = trace ? { ...answer, sent, received: String(received ?? '') } : answer;
  }
  const [service = {}] = Object.values(client.describe() as Record<string, Record<string, object>>);
  return { operations: Object.values(service).flatMap((port) => Object.keys(port)), answers };
}

const results: Record<string, SessionResult> = {};
const sessions = (await json(process.stdin)) as Record<string, Session>;
for (const [name, session] of Object.entries(sessions)) results[name] = await run(session);
process.stdout.write(JSON.stringify(results));
