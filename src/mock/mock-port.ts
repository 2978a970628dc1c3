import type { Fault } from '../model/fault.ts';
import type { Node } from '../model/node.ts';
import type { Registry } from '../model/registry.ts';
import type { Answers, PartnerCall, PartnerReply } from './answers.ts';

/** How replies are made. */
export interface MockAnswers {
  /** Answers that were asked for; those of the first decide. Without any, replies are made from the definitions. */
  readonly answers?: readonly Answers[];
  /** With another seed, the same request gets another reply that is made; 0. */
  readonly seed?: number;
  /** Number of pages after which a reply that is made names no next one; {@link PAGES}. */
  readonly pages?: number;
}

/** Pages of a mock by default. */
export const PAGES = 3;

/** A request that a partner refused. */
export interface PartnerRefusal {
  readonly node: string;
  /** `POST /orders`. */
  readonly request: string;
  readonly fault: Fault;
}

/** Where a mock writes its log: standard output by default. */
export interface MockLog {
  readonly level?: string;
  readonly to?: { write(line: string): void };
}

export interface PartnersOptions extends MockAnswers {
  readonly registry: Registry;
  readonly nodes: readonly Node[];
  readonly host?: string | undefined;
  readonly port: number;
  readonly log?: MockLog | undefined;
  /** Answers all calls. A {@link Fault} that it throws is the partner's reply. */
  readonly answer?: (call: PartnerCall) => PartnerReply | Promise<PartnerReply>;
  /** Gets each call before it is answered, and returns what answers get of it. */
  readonly heard?: (call: PartnerCall) => Promise<PartnerCall>;
  readonly refused?: (refusal: PartnerRefusal) => void;
  /** Milliseconds since 1970, for the expiry of tokens. */
  readonly now?: () => number;
}

export interface RunningPartners {
  /** The address that stands in for a node: `http://127.0.0.1:8090/ERP`. */
  addressOf(node: string): string;
  /** Sentences about operations that are not served. */
  readonly unreadable: readonly string[];
  close(): Promise<void>;
}
