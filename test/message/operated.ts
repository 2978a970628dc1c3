import { onTestFinished } from 'vitest';
import { createRedactor } from '../../src/codec/redact/redactor.ts';
import { openMessageControl, removedJobs } from '../../src/messaging/run/index.ts';
import type { Registry } from '../../src/model/registry.ts';
import { jobOwners } from '../../src/serve/start/queues.ts';
import { openBlobs, openQueue, openStore } from '../../src/store/index.ts';
import { gatewayText } from '../support/project.ts';
import { type EngineKind, type MessageGateway, startMessages, Target } from './project.ts';

/** A gateway whose messages go to a system that is under the control of the test. */
export interface OperatedGateway extends MessageGateway {
  /** Its address is `ERP_URL`. */
  readonly erp: Target;
  /** The deliveries to a subscription, once so many have a status. */
  deliveries(
    subscription: string,
    status: string,
    count?: number,
  ): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** A project with these definitions, and a call `ERP_PUT` whose node has no circuit breaker. @param request of the call */
export const operatedFiles = (
  definitions: string,
  request = '{ fields: { PLACE: { type: string, required: true } } }',
): Readonly<Record<string, string>> => ({
  'definitions/gateway.yaml': gatewayText(),
  'definitions/places.yaml': `${definitions}---
{ node: ERP, base: "\${env:ERP_URL}", circuit: { failures: 0 } }
---
service: Erp.v1
target: ERP
permission: EVERYTHING
operations:
  ERP_PUT: { post: "erp/{PLACE}", request: ${request} }
`,
});

/** Starts the gateway and the system; `stop` ends both. */
export async function openOperated(
  kind: EngineKind,
  files: Readonly<Record<string, string>>,
): Promise<OperatedGateway> {
  const erp = await Target.start();
  const gateway = await startMessages(kind, files, { ERP_URL: erp.url });
  return {
    ...gateway,
    erp,
    deliveries: (subscription, status, count = 1) =>
      gateway.found(
        `${count} deliveries of ${subscription} that are ${status}`,
        `select * from signalbox_delivery where subscription = '${subscription}' and status = '${status}' order by id`,
        count,
      ),
    async stop() {
      await gateway.stop();
      await erp.stop();
    },
  };
}

/** The same; both end with the test. */
export async function startOperated(
  kind: EngineKind,
  files: Readonly<Record<string, string>>,
): Promise<OperatedGateway> {
  const box = await openOperated(kind, files);
  onTestFinished(() => box.stop());
  return box;
}

/** What a command of an operator opens beside a gateway, until the end of the test. @param registry the definitions that it has */
export async function openBeside(
  { gateway, database, folder }: Pick<MessageGateway, 'gateway' | 'database' | 'folder'>,
  registry: Registry = gateway.registry,
) {
  const store = await openStore({ url: database, root: folder });
  const queue = await openQueue(store);
  const blobs = await openBlobs(store);
  onTestFinished(async () => {
    await queue.close();
    await blobs.close();
    await store.close();
  });
  const redactor = createRedactor();
  return {
    store,
    blobs,
    messages: openMessageControl({ registry, store, queue, blobs, redactor }),
    queues: queue.control({ owners: jobOwners(registry), removed: removedJobs, redactor }),
  };
}
