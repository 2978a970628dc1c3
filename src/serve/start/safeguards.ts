import { resolve } from 'node:path';
import type { Registry } from '../../model/registry.ts';
import { openRateLimits, type RateLimits } from '../../security/rate-limit.ts';
import { openRateTable, type Store } from '../../store/index.ts';
import { createThrottle, hasRates, type Throttle } from '../exchange/throttle.ts';
import { type AuditFile, openAuditFile } from '../log/audit-file.ts';
import { createLog, type Log, type LogOptions } from '../log/log.ts';
import { type Environment, resolveSetting } from './settings.ts';

/** The limits of a gateway's calls, and its audit log. */
export interface Safeguards {
  /** `undefined` if no rate or concurrency limit is declared. */
  readonly throttle: Throttle | undefined;
  /** The destination of exchange lines: the log itself, or the file named in gateway.yaml. */
  readonly audit: Log;
  /** The audit file. While it can't be written, no request may be answered, because it could not be recorded. */
  readonly auditFile: AuditFile | undefined;
  close(): Promise<void>;
}

/** @throws GatewayError when the audit log can't be opened */
export async function openSafeguards(
  registry: Registry,
  options: { readonly store: Store; readonly env: Environment; readonly folder: string; readonly log: Log } & Pick<
    LogOptions,
    'also'
  >,
): Promise<Safeguards> {
  const file = openAudit(registry, options);
  const rates = await openRates(registry, options);
  // A file is rotated by moving it and sending this signal, which would otherwise end the process.
  const reopen = (): void => file?.reopen();
  if (file !== undefined) process.on('SIGHUP', reopen);
  return {
    throttle: createThrottle(registry, rates),
    audit: file === undefined ? options.log : createLog({ to: file, also: options.also }),
    auditFile: file,
    async close() {
      rates?.close();
      process.off('SIGHUP', reopen);
      await file?.close();
    },
  };
}

function openAudit(
  { gateway }: Registry,
  { env, folder, log }: { readonly env: Environment; readonly folder: string; readonly log: Log },
): AuditFile | undefined {
  if (gateway.audit === undefined) return undefined;
  const path = resolve(folder, resolveSetting(gateway.audit, env));
  return openAuditFile(path, (err) =>
    log.error({ err }, `The audit log ${path} can't be written. Requests are refused until it can.`),
  );
}

/** The counters of a gateway that declares rates; `undefined` when it declares none. */
async function openRates(
  registry: Registry,
  { store, log }: { readonly store: Store; readonly log: Log },
): Promise<RateLimits | undefined> {
  if (!hasRates(registry)) return undefined;
  return openRateLimits({
    table: await openRateTable(store),
    onError: (err) =>
      log.warn({ err }, 'The database does not answer. Until it does, this gateway counts calls by itself.'),
  });
}
