import type { Gateway, Limits } from '../model/gateway.ts';
import { duration } from '../wire/words.ts';
import {
  type Comparison,
  compareAll,
  inside,
  type Pair,
  type Scope,
  unseen,
  whenDifferent,
  whenTurned,
} from './changes.ts';

/** Compares what callers of all services notice. */
export function compareGateways(pair: Pair<Gateway>, scope: Scope): void {
  compareAll(GATEWAY, pair, scope);
}

const GATEWAY: Comparison<Gateway> = {
  id: whenDifferent('gateway-renamed', ({ id }) => id),
  context: whenDifferent('context-changed', ({ context }) => context),
  publicUrl: whenDifferent('address-changed', ({ publicUrl }) => publicUrl?.source ?? 'the one that it listens on'),
  tls: (pair, scope) => {
    whenDifferent<Gateway, Scope>('tls-changed', ({ tls }) => (tls === undefined ? 'http' : 'https'))(pair, scope);
    const [old, now] = [pair.before.tls?.minimum, pair.after.tls?.minimum];
    if (old === undefined || now === undefined || old === now) return;
    scope.changes.add(now > old ? 'tls-minimum-raised' : 'tls-minimum-lowered', scope, {
      before: { text: old, at: pair.before.at },
      after: { text: now, at: pair.after.at },
    });
  },
  contracts: whenTurned('contracts-private', 'contracts-public', ({ contracts }) => contracts === 'private'),
  timezone: whenDifferent('timezone-changed', ({ timezone }) => timezone),
  limits: compareLimits,
  mtom: (pair, scope) => {
    const words = { services: 'services connector', http: 'HTTP connector' } as const;
    for (const key of ['services', 'http'] as const)
      whenTurned<Gateway, Scope>(
        'mtom-begun',
        'mtom-ended',
        ({ mtom }) => mtom[key],
      )(pair, inside(scope, `mtom.${key}`, words[key]));
  },
  compress: (pair, scope) => {
    for (const key of ['rest', 'soap'] as const)
      whenTurned<Gateway, Scope>(
        'compression-begun',
        'compression-ended',
        ({ compress }) => compress[key],
      )(pair, {
        ...inside(scope, `compress.${key}`, key.toUpperCase()),
        languages: [key === 'rest' ? 'json' : 'xml'],
      });
  },
  // Compared with the operations and services that they apply to.
  namespace: unseen,
  requires: unseen,
  delivered: unseen,
  strict: unseen,
  once: unseen,
  cors: unseen,
  // Where and how the gateway runs, which its callers do not notice.
  listen: unseen,
  database: unseen,
  migrations: unseen,
  sampleData: unseen,
  handlers: unseen,
  proxies: unseen,
  audit: unseen,
  metrics: unseen,
  drain: unseen,
  retention: unseen,
  console: unseen,
  acceptedBreaks: unseen,
  // Has no effect.
  domainNames: unseen,
  at: unseen,
};

/** Whether more of a limit is more for callers; `undefined` for limits of work that they do not notice. */
const LIMITS: Readonly<
  Record<keyof Limits, { readonly more: 'allowed' | 'demanded'; readonly unit: 'bytes' | 'ms' | '' } | undefined>
> = {
  body: { more: 'allowed', unit: 'bytes' },
  timeout: { more: 'allowed', unit: 'ms' },
  rows: { more: 'allowed', unit: '' },
  target: { more: 'allowed', unit: 'bytes' },
  parameters: { more: 'allowed', unit: '' },
  attachment: { more: 'allowed', unit: 'bytes' },
  attachments: { more: 'allowed', unit: '' },
  queries: { more: 'allowed', unit: '' },
  queued: { more: 'allowed', unit: '' },
  slowest: { more: 'demanded', unit: 'bytes' },
  processes: undefined,
  temporary: undefined,
  unknown: undefined,
  // Compared with the operations that they apply to.
  rate: undefined,
  concurrent: undefined,
};

function compareLimits({ before, after }: Pair<Gateway>, scope: Scope): void {
  for (const [key, facts] of Object.entries(LIMITS)) {
    if (facts === undefined) continue;
    const read = ({ limits }: Gateway): number =>
      (limits[key as keyof Limits] as number | undefined) ?? Number.POSITIVE_INFINITY;
    const [old, now] = [read(before), read(after)];
    if (old === now) continue;
    const words = (limit: number): string => {
      if (!Number.isFinite(limit)) return 'none';
      if (facts.unit === 'ms') return duration(limit);
      return facts.unit === 'bytes' ? sizeWords(limit) : String(limit);
    };
    scope.changes.add(
      now < old === (facts.more === 'allowed') ? 'limit-lowered' : 'limit-raised',
      inside(scope, `limits.${key}`, key),
      {
        before: { text: words(old), at: before.at },
        after: { text: words(now), at: after.at },
      },
    );
  }
}

function sizeWords(bytes: number): string {
  const [unit, length] = SIZES.find(([, each]) => bytes % each === 0) ?? SIZES[3];
  return `${bytes / length} ${unit}`;
}

const SIZES = [
  ['GiB', 1024 ** 3],
  ['MiB', 1024 ** 2],
  ['KiB', 1024],
  ['B', 1],
] as const;
