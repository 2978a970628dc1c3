import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Failure, failRequest, spoilReply, spoilsReply } from './failure.ts';
import { createGrants } from './grants.ts';
import { digestStep, type StoredFile, uploadStep } from './library-documents.ts';
import { FACTS, type LibraryFacts } from './library-facts.ts';
import { loginStep } from './library-login.ts';
import { headOf, Refusal, send } from './message.ts';
import { type PeerServer, startServer } from './server.ts';
import type { Step } from './step.ts';

export type StepName = 'token' | 'digest' | 'upload';

export interface LibraryOptions {
  readonly facts?: Partial<LibraryFacts>;
  /** Folders by site. */
  readonly sites?: Readonly<Record<string, readonly string[]>>;
  readonly tokenSeconds?: number;
  readonly digestSeconds?: number;
  /** `expires_in` is digits in a string rather than a number. */
  readonly secondsAsText?: boolean;
  /** Uploads without Content-Length are taken. */
  readonly chunked?: boolean;
  /** In milliseconds. */
  readonly now?: () => number;
}

/** A request that came. */
export interface SeenRequest {
  readonly step: StepName;
  /** What it was answered with; undefined as long as it is not. */
  readonly status: number | undefined;
  /** Why it was refused. */
  readonly words: string;
  /** The client ended the connection before all of it was there. */
  readonly abandoned: boolean;
}

/** A document library and its identity provider: two servers that take nothing but what the specification says. */
export interface DocumentLibrary {
  readonly facts: LibraryFacts;
  readonly login: PeerServer;
  readonly documents: PeerServer;
  /** In the order in which they came. */
  readonly seen: readonly SeenRequest[];
  readonly files: readonly StoredFile[];
  /** Tokens and digests that were given out. */
  readonly given: readonly string[];
  /** Bytes of replies without an end that were handed over. */
  readonly written: () => number;
  /** What the next requests of a step meet, each once. */
  fail(step: StepName, ...failures: readonly Failure[]): void;
  /** No token that was given is good any more. */
  forgetTokens(): void;
  forgetDigests(): void;
  close(): Promise<void>;
}

const SITES = { HR: ['Shared Documents', 'Shared Documents/2026', "Bücher & Co. 100%/Ann's"] };

export async function startDocumentLibrary(options: LibraryOptions = {}): Promise<DocumentLibrary> {
  const { sites = SITES, tokenSeconds = 3600, digestSeconds = 1800, chunked = false, now = Date.now } = options;
  const facts = { ...FACTS, ...options.facts };
  const given: string[] = [];
  const kept = (value: string): string => {
    given.push(value);
    return value;
  };
  const tokens = createGrants(() => kept(randomBytes(48).toString('base64')), tokenSeconds, now);
  const digests = createGrants(
    () => kept(`0x${randomBytes(32).toString('hex').toUpperCase()},${new Date(now()).toUTCString()}`),
    digestSeconds,
    now,
  );
  const files: StoredFile[] = [];
  const seen: SeenRequest[] = [];
  const failures: Record<StepName, Failure[]> = { token: [], digest: [], upload: [] };
  let written = 0;

  const documentOptions = { facts, tokens, digests, sites, chunked, store: (file: StoredFile) => files.push(file) };
  const steps: Record<StepName, Step> = {
    token: loginStep({ facts, tokens, secondsAsText: options.secondsAsText ?? false }),
    digest: digestStep(documentOptions),
    upload: uploadStep(documentOptions),
  };

  async function answer(step: StepName, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const entry = {
      step,
      words: '',
      abandoned: false,
      get status() {
        return response.headersSent ? response.statusCode : undefined;
      },
    };
    seen.push(entry);
    request.once('close', () => {
      entry.abandoned = !request.complete;
    });
    try {
      const reading = steps[step](headOf(request));
      const failure = failures[step].shift();
      if (failure !== undefined && !spoilsReply(failure)) {
        await failRequest(failure, request, response, (bytes) => {
          written += bytes;
        });
        return;
      }
      const usual = await reading(request);
      if (failure === undefined) send(response, usual);
      else await spoilReply(failure, response, usual);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      entry.words = error.message;
      send(response, error.answer);
    }
  }

  const login = await startServer((request, response) => answer('token', request, response), { tls: true });
  const documents = await startServer(
    (request, response) => answer(request.url?.endsWith('/ContextInfo') ? 'digest' : 'upload', request, response),
    { tls: true },
  );
  return {
    facts,
    login,
    documents,
    seen,
    files,
    given,
    written: () => written,
    fail: (step, ...more) => void failures[step].push(...more),
    forgetTokens: () => tokens.forget(),
    forgetDigests: () => digests.forget(),
    async close() {
      await Promise.all([login.close(), documents.close()]);
    },
  };
}
