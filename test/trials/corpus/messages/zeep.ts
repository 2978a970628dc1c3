import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A part of a message, by a global element or by a type: `{namespace}local`. */
export interface Part {
  readonly part: string;
  readonly element: string | null;
  readonly type: string | null;
}

/** What the contract says about a message, as zeep has read it. */
export interface ZeepMessage {
  readonly kind: 'none' | 'document' | 'rpc' | 'several';
  readonly element?: string | null;
  readonly type?: string | null;
  readonly parts?: readonly Part[];
  readonly headers: readonly Part[];
}

export interface ZeepOperation {
  readonly service: string;
  readonly port: string;
  /** What the contract says. */
  readonly address: string | null;
  /** The local name of the port type. */
  readonly type: string;
  readonly name: string;
  readonly soap: '1.1' | '1.2';
  readonly action: string | null;
  readonly input: ZeepMessage | null;
  readonly output: ZeepMessage | null;
  readonly faults: readonly { readonly name: string; readonly element: string | null }[];
}

export interface ZeepCall {
  readonly id: string;
  readonly service: string;
  readonly port: string;
  readonly operation: string;
  readonly address: string;
  /** The content of the Body; null for an empty one. */
  readonly body: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly fault?: string;
}

export interface ZeepResult {
  /** How far it came: the value could not be made or written, the call or the reading of its reply failed. */
  readonly stage?: 'made' | 'called' | 'read';
  readonly error?: string;
  readonly sent?: string | null;
  readonly reply?: string;
  readonly status?: number;
  readonly fault?: {
    readonly code: string;
    readonly message: string;
    readonly detail: readonly string[];
    readonly read?: boolean;
  };
  /** Texts of the reply that zeep has not read. */
  readonly lost?: string | null;
}

/** One process of zeep for many contracts. */
export interface Zeep {
  load(location: string): Promise<{ readonly operations: readonly ZeepOperation[] } | { readonly error: string }>;
  call(call: ZeepCall): Promise<ZeepResult>;
  close(): void;
}

export function startZeep(): Zeep {
  const script = fileURLToPath(new URL('./zeep-client.py', import.meta.url));
  const child = spawn('/usr/bin/python3', [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (request: object): Promise<never> => {
    child.stdin.write(`${JSON.stringify(request)}\n`);
    const { value, done } = await lines.next();
    if (done === true) throw new Error('zeep has ended');
    return JSON.parse(value) as never;
  };
  return {
    load: (location) => ask({ load: location }),
    call: (call) => ask({ call }),
    close: () => void child.kill(),
  };
}
