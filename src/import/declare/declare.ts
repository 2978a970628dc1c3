import type { DraftContract } from '../draft.ts';
import { ImportError, type Losses } from '../place.ts';
import type { Declared } from './declared.ts';
import { DeclaredDocuments } from './documents.ts';
import { DeclaredServices, type ServiceOptions } from './services.ts';

export interface DeclareOptions extends ServiceOptions {
  readonly taken: ServiceOptions['taken'] & { readonly document: readonly string[] };
}

/** Writes a contract as definitions: with ids that are distinct in the project, and documents in place where they are used once. @throws ImportError */
export function declare(contract: DraftContract, options: DeclareOptions, losses: Losses): readonly Declared[] {
  const namespaces = new Set(contract.services.map(({ namespace }) => namespace));
  const namespace = namespaces.size === 1 ? [...namespaces][0] : undefined;
  const documents = new DeclaredDocuments(contract, namespace, options.taken.document);
  const services = new DeclaredServices(documents, options, losses).all(contract.services);
  return inFiles([...services, ...documents.all()], options.name);
}

/** Bytes of one definition and of the definitions of one file, as JSON. `check` reads files of 4 MiB; YAML is longer. */
const MOST_BYTES = 2 * 1024 ** 2;

/** Puts definitions that are too large for one file into several: `documents`, `documents-2`. @throws ImportError */
function inFiles(declared: readonly Declared[], source: string): readonly Declared[] {
  const open = new Map<string, { bytes: number; number: number }>();
  return declared.map((each) => {
    const bytes = Buffer.byteLength(JSON.stringify(each));
    if (bytes > MOST_BYTES) {
      const what = `the ${each.kind} ${each.id.slice(0, 100)} is larger than ${MOST_BYTES / 1024 ** 2} MiB`;
      throw new ImportError(what, { source, line: 0, column: 0 }, 'Import a contract without it.');
    }
    const file = open.get(each.file) ?? { bytes: 0, number: 1 };
    open.set(each.file, file);
    file.bytes += bytes;
    if (file.bytes > MOST_BYTES) Object.assign(file, { bytes, number: file.number + 1 });
    return file.number === 1 ? each : { ...each, file: `${each.file}-${file.number}` };
  });
}
