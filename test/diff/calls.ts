import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient, InvokeError } from '../../src/invoke/index.ts';
import { standInVariable } from '../../src/invoke/stand-in.ts';
import { instanceOf, seeded } from '../../src/mock/instance.ts';
import { startPartners } from '../../src/mock/partners.ts';
import type { ConsumerOperation } from '../../src/model/consumer.ts';
import type { Document } from '../../src/model/document.ts';
import type { Registry } from '../../src/model/registry.ts';
import type { DocumentValue } from '../../src/model/value.ts';
import { createSpool } from '../../src/store/index.ts';
import { attempt } from './messages.ts';
import type { Project } from './random-projects.ts';

/** Keys that an operation has only if it is answered here. */
const PROVIDED = ['status', 'wrapper', 'strict', 'tags', 'alias', 'once', 'deprecated', 'writes'] as const;

/** The project turned around: its service is that of another system, which is called. */
export function asCalled({ gateway, service, documents }: Project): Project {
  const without = (given: object): Record<string, unknown> =>
    Object.fromEntries(Object.entries(given).filter(([key]) => !PROVIDED.some((each) => each === key)));
  const operations = Object.entries(service.operations as object).map(([name, each]) => [
    name,
    without(each as object),
  ]);
  return {
    gateway: { gateway: gateway.gateway },
    service: { ...without(service), target: 'PARTNER', operations: Object.fromEntries(operations) },
    documents: [...documents, { node: 'PARTNER', base: 'https://partner.example.org' }],
  };
}

/** A partner in this process that keeps to one registry, and clients that keep to others. */
export interface Partner {
  call(registry: Registry, operation: ConsumerOperation, input: DocumentValue): Promise<Called>;
  close(): Promise<void>;
}

interface Called {
  readonly problem?: string;
  /** What the partner got. */
  readonly received: DocumentValue | undefined;
}

const spool = createSpool({ folder: join(tmpdir(), `signalbox-calls-${process.pid}`) });

export async function startPartner(registry: Registry): Promise<Partner> {
  const clients = new Map<Registry, Client>();
  let received: DocumentValue | undefined;
  const partners = await startPartners({
    ...{ registry, nodes: [...registry.nodes.values()], port: 0, log: { level: 'silent' } },
    answer({ input }) {
      received = input;
      return undefined;
    },
  });
  const env = { [standInVariable('PARTNER')]: partners.addressOf('PARTNER') };
  return {
    async call(known, operation, input) {
      const client = clients.get(known) ?? createClient(known, { env, spool });
      clients.set(known, client);
      received = undefined;
      try {
        await client.call(operation, input);
        return { received };
      } catch (error) {
        if (!(error instanceof InvokeError)) throw error;
        return { problem: `${error.code}: ${error.message}`, received };
      }
    },
    async close() {
      await Promise.all(Array.from(clients.values(), (each) => each.close()));
      await partners.close();
    },
  };
}

function inputOf(operation: ConsumerOperation): Document | undefined {
  if (operation.kind === 'rest') return operation.input;
  return operation.soap.request.kind === 'document' ? operation.soap.request.document : undefined;
}

/** Inputs of a call: everything, and what is required. */
export function callInputs(operation: ConsumerOperation, seed: string): readonly DocumentValue[] {
  const document = inputOf(operation);
  if (document === undefined) return [{}];
  const whole = attempt(() => instanceOf(document, seeded(`${seed} ${operation.id}`)));
  if (whole === undefined) return [];
  const optional = document.fields.filter(({ required }) => !required).map(({ name }) => name);
  const least = Object.entries(whole).filter(([name]) => !optional.includes(name));
  return [whole, Object.fromEntries(least)];
}
