import { declare, importContracts, update } from '../../../../src/import/index.ts';
import type { ReadSource } from '../../../../src/import/source.ts';
import { compileProvided } from '../../../../src/invoke/provided.ts';
import { loadTexts } from '../../../../src/load/index.ts';
import { mockAnswerer } from '../../../../src/mock/answer.ts';
import { instanceOf, seeded } from '../../../../src/mock/instance.ts';
import { startMock } from '../../../../src/mock/serve.ts';
import { Fault } from '../../../../src/model/fault.ts';
import type { Registry } from '../../../../src/model/registry.ts';
import type { Operation } from '../../../../src/model/service.ts';
import type { DocumentValue } from '../../../../src/model/value.ts';

/** What a handler received. */
export interface Received {
  readonly operation: Operation;
  readonly input: DocumentValue;
}

/** A gateway that serves an imported contract with replies made from its definitions. */
export interface Served {
  readonly registry: Registry;
  /** The gateway with its context. */
  readonly address: string;
  /** What the handler of a call received, by the header X-Call of the request. */
  readonly received: ReadonlyMap<string, Received>;
  close(): Promise<void>;
}

export type As = 'provider' | 'consumer';

/** Imports a contract and loads what is written. */
export async function loadContract(
  location: string,
  read: ReadSource,
  as: As,
): Promise<{
  readonly registry: Registry | undefined;
  readonly errors: readonly string[];
  readonly losses: readonly string[];
}> {
  const imported = await importContracts([location], read);
  const taken = { service: [], node: [], 'permission-list': [], scheme: [], document: [] };
  const declared = imported.flatMap(({ contract, losses }) =>
    declare(contract, { as, name: 'PARTNER', taken }, losses),
  );
  const gateway = ['definitions/gateway.yaml', 'gateway: LOCAL\n'] as const;
  const pathOf = (file: string): string => `definitions/${file}.yaml`;
  const { files } = update({ files: new Map([gateway]), before: [], after: declared, pathOf });
  const { registry, diagnostics } = loadTexts(new Map([gateway, ...files]));
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  return {
    registry,
    errors: errors.map(({ code, message }) => `${code}: ${message}`),
    losses: imported.flatMap(({ losses }) => losses.all().map(({ what, instead }) => `${what}: ${instead}`)),
  };
}

/** Serves a registry on a free port. Calls with the header X-Fault are answered with the fault of that name. */
export async function serve(registry: Registry): Promise<Served> {
  const received = new Map<string, Received>();
  const mock = await startMock({
    registry,
    port: 0,
    log: { level: 'silent', to: { write: () => {} } },
    replaced(operation) {
      const made = mockAnswerer(operation, {});
      return {
        answerer: {
          answer(input, call, as) {
            const id = call.header('x-call') ?? '';
            received.set(id, { operation, input });
            const fault = call.header('x-fault') ?? '';
            if (fault !== '') throw namedFault(operation, fault, id);
            return made.answer(input, call, as);
          },
        },
      };
    },
  });
  return {
    registry,
    address: `${mock.address}/${registry.gateway.context}`,
    received,
    close: () => mock.close(),
  };
}

function namedFault({ soap }: Operation, name: string, seed: string): Fault {
  const declared = soap?.faults?.find((each) => each.name === name);
  if (declared === undefined) return Fault.custom('NOT_DECLARED', 500, `The fault ${name} is not declared.`);
  return Fault.custom(name, 500, 'A fault.', { document: instanceOf(declared.document, seeded(seed)) });
}

/** The envelope that we would send for an input, with binary content in it. */
export async function ownRequest(registry: Registry, operation: Operation, input: DocumentValue): Promise<string> {
  const { body } = compileProvided(registry, operation, { kind: 'soap', version: '1.1', inline: true }).write(input);
  if (typeof body === 'string' || body === undefined) return body ?? '';
  const chunks: Uint8Array[] = [];
  for await (const each of body) chunks.push(each);
  return Buffer.concat(chunks).toString();
}
