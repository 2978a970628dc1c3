import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment, finish } from '../cli/support.ts';
import type { Served } from './support.ts';

/** A client that is built from a WSDL, used as a user of it would. Scripts below `clients/` read sessions and write results. */
export interface Session {
  /** Address of the WSDL. */
  readonly wsdl: string;
  readonly user: string;
  readonly password: string;
  readonly version: '1.1' | '1.2';
  /** Tell what was sent and received. */
  readonly trace: boolean;
  /** What Accept says, of zeep alone. */
  readonly accept?: string;
  /** Names of fields, or of operations, whose values are bytes, for languages that can't tell by themselves. */
  readonly binary: readonly string[];
  /** Made one after the other. */
  readonly calls: Calls;
}

/** Calls by names of the test's own, in their order. */
export type Calls = Readonly<Record<string, Call>>;

/**
 * What an operation is called with, in JSON: `{ base64 }` stands for bytes, `{ any: [xml, ...] }` for elements that the schema
 * leaves open, and the attributes of an element are below `attributes`.
 */
export interface Call {
  readonly operation: string;
  readonly argument: unknown;
}

/** What came of a session. */
export interface SessionResult {
  /** Operations that the client found in the WSDL; of each port, where it does not choose one. */
  readonly operations: readonly string[];
  readonly answers: Readonly<Record<string, Answer>>;
}

/** What came of a call: a reply, a fault as the client's own fault object has it, or another error of the client. */
export interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: what a client makes of a reply, which is what the tests are about
  readonly reply?: any;
  readonly fault?: { readonly code: string; readonly reason: string; readonly detail?: unknown };
  readonly error?: string;
  /** The envelopes, where the session is traced. */
  readonly sent?: string;
  readonly received?: string;
  /** Content type of the reply, of zeep alone. */
  readonly type?: string;
}

/** A SOAP client of another maker. */
export interface SoapClient {
  readonly name: string;
  readonly needs: string;
  readonly isHere: boolean;
  readonly command: readonly [program: string, ...args: string[]];
}

const script = (name: string): string => fileURLToPath(new URL(`clients/${name}`, import.meta.url));
const runs = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0;
/** Debian's own, for which zeep is installed: a virtual environment may stand in front of it. */
export const python = '/usr/bin/python3';

export const php: SoapClient = {
  name: "PHP's SoapClient",
  needs: 'php with its soap extension',
  isHere: runs('php', '-r', 'exit(extension_loaded("soap") ? 0 : 1);'),
  // PHP keeps WSDLs by address for a day, and ports come back.
  command: ['php', '-d', 'soap.wsdl_cache_enabled=0', '-d', 'memory_limit=512M', script('client.php')],
};

export const zeep: SoapClient = {
  name: "Python's zeep",
  needs: 'python3 with zeep',
  isHere: runs(python, '-c', 'import zeep'),
  command: [python, script('client.py')],
};

export const nodeSoap: SoapClient = {
  name: 'the package soap',
  needs: 'only npm ci',
  isHere: true,
  command: [process.execPath, script('client.ts')],
};

/** Whether Python is here, which reads MIME without more. */
export const hasPython = runs(python, '--version');

/** A MIME message, or one of its parts, as Python's own reader takes it apart. */
interface MimeEntity {
  readonly type: string;
  /** Of the Content-Type. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** What is wrong with it. */
  readonly defects: readonly string[];
}

/** A part with its transfer encoding undone. */
export interface MimePart extends MimeEntity {
  readonly bytes: Buffer;
}

export interface MimeMessage extends MimeEntity {
  readonly parts: readonly MimePart[];
}

/** Reads the body of an HTTP message as MIME. */
export async function readMime(contentType: string, body: Buffer): Promise<MimeMessage> {
  const head = Buffer.from(`MIME-Version: 1.0\r\nContent-Type: ${contentType}\r\n\r\n`);
  const read = JSON.parse(await feed([python, script('read-mime.py')], Buffer.concat([head, body])));
  const parts = read.parts.map((part: MimeEntity & { base64: string }) => ({
    ...part,
    bytes: Buffer.from(part.base64, 'base64'),
  }));
  return { ...read, parts };
}

/** Runs sessions in one process, and gives what came of each. */
export async function runSessions<Name extends string>(
  { command }: SoapClient,
  sessions: Readonly<Record<Name, Session>>,
): Promise<Readonly<Record<Name, SessionResult>>> {
  return JSON.parse(await feed(command, JSON.stringify(sessions))) as Record<Name, SessionResult>;
}

/** Runs a command with an input, and gives what it prints. */
async function feed([program, ...args]: SoapClient['command'], input: string | Buffer): Promise<string> {
  const child = spawn(program, args, { env: cleanEnvironment({ no_proxy: '*' }) });
  child.stdin.end(input);
  const { code, stdout, stderr } = await finish(child);
  if (code !== 0 || stderr !== '')
    throw new Error(`${program} ended with ${code}\n${stderr}\n${stdout.slice(0, 2000)}`);
  return stdout;
}

/** The address of the SOAP services connector. */
export function connectorOf({ address }: Served): string {
  return `${address}/gateway/PeopleSoftServiceListeningConnector`;
}

/** The session of the sample's user with a service. */
export function demoSession(gateway: Served, service: string, version: Session['version'], calls: Calls): Session {
  return {
    wsdl: `${connectorOf(gateway)}/${service}?wsdl`,
    user: 'demo',
    password: 'demo',
    version,
    trace: false,
    binary: ['content'],
    calls,
  };
}
