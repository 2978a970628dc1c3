import type { Client, ClientOptions } from '../../invoke/index.ts';
import type { InvokeReply } from '../../model/invoke-reply.ts';
import type { Registry } from '../../model/registry.ts';

/** Calls other systems. */
export type Outbound = Pick<Client, 'call' | 'flow'>;

/** What is left open of the calls of one exchange. */
export type OpenReply = Pick<InvokeReply, 'close' | 'value'>;

/** A client that is created at the first call: a gateway that calls no other system loads nothing for it. */
export interface LazyClient extends Outbound {
  /** Ends all connections, and what still runs on them. */
  close(): Promise<void>;
}

export function createLazyClient(registry: Registry, options: ClientOptions): LazyClient {
  let opened: Promise<Client> | undefined;
  const open = async (): Promise<Client> => (await import('../../invoke/index.ts')).createClient(registry, options);
  const client = (): Promise<Client> => {
    opened ??= open().catch((error: unknown) => {
      // The next call tries again, and there is nothing to close.
      opened = undefined;
      throw error;
    });
    return opened;
  };
  return {
    call: async (operation, input, given) => (await client()).call(operation, input, given),
    flow: async (flow, input, given) => (await client()).flow(flow, input, given),
    close: async () => (await opened)?.close(),
  };
}
