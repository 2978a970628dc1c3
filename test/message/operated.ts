import { onTestFinished } from 'vitest';
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

/** Starts both; they end with the test. */
export async function startOperated(
  kind: EngineKind,
  files: Readonly<Record<string, string>>,
): Promise<OperatedGateway> {
  const erp = await Target.start();
  const gateway = await startMessages(kind, files, { ERP_URL: erp.url });
  onTestFinished(async () => {
    await gateway.stop();
    await erp.stop();
  });
  return {
    ...gateway,
    erp,
    deliveries: (subscription, status, count = 1) =>
      gateway.found(
        `${count} deliveries of ${subscription} that are ${status}`,
        `select * from signalbox_delivery where subscription = '${subscription}' and status = '${status}' order by id`,
        count,
      ),
  };
}
