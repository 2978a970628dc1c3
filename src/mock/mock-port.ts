import type { Fault } from '../model/fault.ts';
import type { ReplyValue } from '../model/handler.ts';
import type { Node } from '../model/node.ts';
import type { Registry } from '../model/registry.ts';
import type { Attachment, DocumentValue } from '../model/value.ts';

/** How replies are made from definitions. */
export interface MockAnswers {
  /** With another seed, the same request gets another reply; 0. */
  readonly seed?: number;
  /** Milliseconds that each reply takes; 0. */
  readonly latency?: number;
}

/** A call that a partner got, and that fits its operation. */
export interface PartnerCall {
  /** The id of the node. */
  readonly node: string;
  /** The id of the operation. */
  readonly operation: string;
  /** The input of the call, as far as it is sent: values by the names of fields; `content` when it has no document. */
  readonly input: DocumentValue;
  /** The headers of the request, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A request that a partner refused. */
export interface PartnerRefusal {
  readonly node: string;
  /** `POST /orders`. */
  readonly request: string;
  readonly fault: Fault;
}

/** What a partner replies: the value of the reply, or its content. `undefined` is a value made from the definition. */
export type PartnerReply = ReplyValue | Attachment | Uint8Array | undefined;

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
  /** Answers a call. A {@link Fault} that it throws is the partner's reply. */
  readonly answer?: (call: PartnerCall) => PartnerReply | Promise<PartnerReply>;
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
