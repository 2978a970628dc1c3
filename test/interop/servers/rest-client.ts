import { join } from 'node:path';
import { type Client, createClient } from '../../../src/invoke/index.ts';
import type { Environment } from '../../../src/load/value/config.ts';
import { createSpool } from '../../../src/store/index.ts';
import { writeProject } from '../../support/project.ts';
import { registryOf } from './partner.ts';

/** A project whose consumers call a server of another maker. */
export interface RestProject {
  /** Its folder. */
  readonly root: string;
  /** A client in an environment; closed with the project. */
  clientIn(env: Environment): Client;
  close(): Promise<void>;
}

export function restProject(files: Readonly<Record<string, string>>): RestProject {
  const { root, remove } = writeProject(files);
  const registry = registryOf({ root });
  const clients: Client[] = [];
  function clientIn(env: Environment): Client {
    const client = createClient(registry, { env, spool: createSpool({ folder: join(root, 'spool') }), folder: root });
    clients.push(client);
    return client;
  }
  return {
    root,
    clientIn,
    async close() {
      await Promise.all(clients.map((client) => client.close()));
      remove();
    },
  };
}
