import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A position in a text: of the first `^` of it, which is removed. */
interface Marked {
  readonly text: string;
  readonly position: { readonly line: number; readonly character: number };
}

interface Completion {
  readonly label: string;
  readonly documentation?: string | { readonly value: string };
  readonly insertText?: string;
  readonly textEdit?: { readonly newText: string };
}

interface Diagnostic {
  readonly message: string;
  readonly range: {
    readonly start: { readonly line: number; readonly character: number };
    readonly end: { readonly line: number; readonly character: number };
  };
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

const server = join(
  createRequire(import.meta.url).resolve('yaml-language-server/package.json'),
  '../bin/yaml-language-server',
);

/**
 * yaml-language-server, as VS Code, Neovim and Helix run it, over standard input and output (Language Server Protocol 3.17).
 * `settings`: what the editor answers for the section `yaml`, in the keys of VS Code (`yaml.schemas`).
 */
export class LanguageServer {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #root: string;
  readonly #settings: Readonly<Record<string, unknown>>;
  readonly #waiting = new Map<number, (message: Message) => void>();
  readonly #published = new Map<string, (diagnostics: readonly Diagnostic[]) => void>();
  #input = Buffer.alloc(0);
  #last = 0;
  #files = 0;

  private constructor(root: string, settings: Readonly<Record<string, unknown>>) {
    this.#root = root;
    this.#settings = settings;
    this.#child = spawn(process.execPath, [server, '--stdio'], { cwd: root });
    this.#child.stderr.resume();
    this.#child.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
  }

  static async start(root: string, settings: Readonly<Record<string, unknown>> = {}): Promise<LanguageServer> {
    const started = new LanguageServer(root, settings);
    const rootUri = pathToFileURL(root).href;
    await started.#ask('initialize', {
      processId: process.pid,
      rootUri,
      workspaceFolders: [{ uri: rootUri, name: 'project' }],
      capabilities: {
        workspace: { configuration: true, didChangeConfiguration: { dynamicRegistration: true } },
        textDocument: { completion: { completionItem: { snippetSupport: true, documentationFormat: ['markdown'] } } },
      },
    });
    const configured = new Promise<void>((resolve) => {
      started.#onConfigured = resolve;
    });
    started.#tell('initialized', {});
    await configured;
    return started;
  }

  #onConfigured: () => void = () => {};

  /** What is proposed at the `^` of a text in a file of the project, which need not exist. */
  async complete(path: string, marked: string): Promise<Completion[]> {
    const { uri, position } = await this.#openAt(path, marked);
    const found = await this.#ask('textDocument/completion', { textDocument: { uri }, position });
    return (found as { items: Completion[] } | null)?.items ?? [];
  }

  /** The text that is shown at the `^`; empty when there is none. */
  async hover(path: string, marked: string): Promise<string> {
    const { uri, position } = await this.#openAt(path, marked);
    const found = await this.#ask('textDocument/hover', { textDocument: { uri }, position });
    return (found as { contents: { value: string } } | null)?.contents.value ?? '';
  }

  /** What is marked in a text, as `line: marked text: message`. Lines count from 1. */
  async diagnostics(path: string, text: string): Promise<string[]> {
    const uri = this.#uri(path);
    const published = new Promise<readonly Diagnostic[]>((resolve) => this.#published.set(uri, resolve));
    this.#open(uri, text);
    const lines = text.split('\n');
    const inOrder = [...(await published)].sort((a, b) => a.range.start.line - b.range.start.line);
    return inOrder.map(({ message, range: { start, end } }) => {
      const line = lines[start.line] ?? '';
      const marked = line.slice(start.character, start.line === end.line ? end.character : undefined);
      return `${start.line + 1}: ${marked}: ${message}`;
    });
  }

  async stop(): Promise<void> {
    await this.#ask('shutdown', null);
    const closed = new Promise((resolve) => this.#child.once('close', resolve));
    this.#tell('exit', null);
    await closed;
  }

  async #openAt(path: string, marked: string): Promise<{ uri: string } & Pick<Marked, 'position'>> {
    const { text, position } = positionOf(marked);
    const uri = this.#uri(path);
    this.#open(uri, text);
    return { uri, position };
  }

  /** A file of its own for each text: `definitions/a.yaml` becomes `definitions/1/a.yaml`, with the same depth of `..`. */
  #uri(path: string): string {
    this.#files += 1;
    return pathToFileURL(join(this.#root, path.replace(/([^/]+)$/, `${this.#files}-$1`))).href;
  }

  #open(uri: string, text: string): void {
    this.#tell('textDocument/didOpen', { textDocument: { uri, languageId: 'yaml', version: 1, text } });
  }

  #ask(method: string, params: unknown): Promise<unknown> {
    this.#last += 1;
    const id = this.#last;
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, ({ error, result }) => (error === undefined ? resolve(result) : reject(error)));
    });
    this.#send({ id, method, params });
    return answer;
  }

  #tell(method: string, params: unknown): void {
    this.#send({ method, params });
  }

  #send(message: object): void {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
    this.#child.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.#child.stdin.write(body);
  }

  #read(chunk: Buffer): void {
    this.#input = Buffer.concat([this.#input, chunk]);
    for (;;) {
      const head = this.#input.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = Number(/Content-Length: (\d+)/i.exec(this.#input.toString('latin1', 0, head))?.[1]);
      const end = head + 4 + length;
      if (this.#input.length < end) return;
      const body = this.#input.toString('utf8', head + 4, end);
      this.#input = this.#input.subarray(end);
      this.#receive(JSON.parse(body) as Message);
    }
  }

  #receive(message: Message): void {
    const { id, method, params } = message;
    if (method === undefined) {
      this.#waiting.get(id as number)?.(message);
      return;
    }
    if (method === 'textDocument/publishDiagnostics') {
      const { uri, diagnostics } = params as { uri: string; diagnostics: readonly Diagnostic[] };
      this.#published.get(decodeURIComponent(uri))?.(diagnostics);
    }
    if (id === undefined) return;
    const result = method === 'workspace/configuration' ? this.#configuration(params) : null;
    this.#send({ id, result });
    if (method === 'workspace/configuration') this.#onConfigured();
  }

  /** The sections that are asked for. The store of schemas, which is on the Internet, is not used. */
  #configuration(params: unknown): unknown[] {
    const { items } = params as { items: readonly { readonly section: string }[] };
    return items.map(({ section }) => {
      if (section !== 'yaml') return {};
      const own = Object.entries(this.#settings).filter(([key]) => key.startsWith('yaml.'));
      const yaml = Object.fromEntries(own.map(([key, value]) => [key.slice('yaml.'.length), value]));
      return { validate: true, hover: true, completion: true, schemaStore: { enable: false }, ...yaml };
    });
  }
}

function positionOf(marked: string): Marked {
  const at = marked.indexOf('^');
  const before = marked.slice(0, at).split('\n');
  const position = { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
  return { text: marked.slice(0, at) + marked.slice(at + 1), position };
}
