import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { acceptsCoding } from '../wire/accept-encoding.ts';

/** The bundled files that pages load. */
const NAMES = {
  'console.css': 'text/css; charset=utf-8',
  'console.js': 'text/javascript; charset=utf-8',
  'charts.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;

export type AssetName = keyof typeof NAMES;

interface Asset {
  readonly contentType: string;
  readonly content: string;
  /** The content in the smallest form that a browser accepts; `undefined` when it accepts no coding. */
  coded(accepted: string | undefined): { readonly coding: string; readonly bytes: Uint8Array } | undefined;
}

/** Compressed once with the highest effort, which takes a tenth of a second for all files. The smallest result comes first. */
const COMPRESS = { br: brotliCompressSync, gzip: (text: string) => gzipSync(text, { level: 9 }) } as const;

function coding(content: string): Asset['coded'] {
  const known = new Map<string, Uint8Array>();
  return (accepted) => {
    const coding = (['br', 'gzip'] as const).find((each) => acceptsCoding(accepted, each));
    if (coding === undefined) return undefined;
    const bytes = known.get(coding) ?? COMPRESS[coding](content);
    known.set(coding, bytes);
    return { coding, bytes };
  };
}

/** The files that pages load. Their addresses contain a digest of their content, so that browsers may cache them forever. */
export interface Assets {
  /** `/console/assets/console.9f86d081.css`. */
  address(name: AssetName): string;
  /** By the last segment of its address. */
  find(name: string): Asset | undefined;
}

/** Sources run from src/, with the files of the last build. */
const FOLDER = [new URL('assets/', import.meta.url), new URL('../../dist/console/assets/', import.meta.url)].find(
  (each) => existsSync(each),
);

export function openAssets(): Assets {
  if (FOLDER === undefined)
    throw new Error('the files of the console are missing: npm run build writes them to dist/console/assets');
  const addresses = new Map<AssetName, string>();
  const all = new Map<string, Asset>();
  for (const [name, contentType] of Object.entries(NAMES) as [AssetName, string][]) {
    const content = readFileSync(new URL(name, FOLDER), 'utf8');
    const digest = createHash('sha256').update(content).digest('hex').slice(0, 12);
    const kept = name.replace('.', `.${digest}.`);
    addresses.set(name, `/console/assets/${kept}`);
    all.set(kept, { contentType, content, coded: coding(content) });
  }
  return { address: (name) => addresses.get(name) as string, find: (name) => all.get(name) };
}
