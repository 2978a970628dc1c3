import type { NodePort } from '../../console/index.ts';
import type { Client, ClientOptions } from '../../invoke/index.ts';
import type { InvokeReply } from '../../model/invoke-reply.ts';
import type { Registry } from '../../model/registry.ts';

/** Calls other systems. */
export type Outbound = Pick<Client, 'call' | 'flow' | 'ask' | 'readLater' | 'post' | 'reaches'>;

/** The parts of a call's reply that have to be closed at the end of an exchange. */
export type OpenReply = Pick<InvokeReply, 'close' | 'value'>;

/** A client that is created at the first call, so a gateway that calls no other system loads nothing for it. */
export interface LazyClient extends Outbound {
  /** The request of a call, and those of a flow, with secrets masked. Nothing is sent. */
  preview(...given: Parameters<Client['preview']>): Promise<ReturnType<Client['preview']>>;
  previewFlow(...given: Parameters<Client['previewFlow']>): Promise<ReturnType<Client['previewFlow']>>;
  /** Reading them creates no client, and opens no connection. */
  readonly nodes: NodePort;
  /** Closes all connections and aborts the calls that still run. */
  close(): Promise<void>;
}

export function createLazyClient(
  registry: Registry,
  options: ClientOptions & Required<Pick<ClientOptions, 'folder' | 'redactor'>>,
): LazyClient {
  const { env, folder, redactor } = options;
  const places = { env, folder };
  let opened: Promise<Client> | undefined;
  let created: Client | undefined;
  const open = async (): Promise<Client> => {
    created = (await import('../../invoke/index.ts')).createClient(registry, options);
    return created;
  };
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
    ask: async (operation, input, given) => (await client()).ask(operation, input, given),
    post: async (...given) => (await client()).post(...given),
    reaches: async (...given) => (await client()).reaches(...given),
    readLater: async (...given) => (await client()).readLater(...given),
    flow: async (flow, input, given) => (await client()).flow(flow, input, given),
    preview: async (...given) => (await client()).preview(...given),
    previewFlow: async (...given) => (await client()).previewFlow(...given),
    nodes: {
      facts: async (node) => (await import('../../invoke/index.ts')).nodeFacts(node, places),
      state: (node) => created?.state(node),
      closeCircuit: (node) => created?.closeCircuit(node) === true,
      test: async (node, signal) =>
        (await import('../../invoke/index.ts')).testConnection(node, { ...places, redactor, signal }),
    },
    close: async () => (await opened)?.close(),
  };
}
