import { type Declared, type Judge, type Refused, update } from '../../import/index.ts';
import { loadTexts } from '../../load/index.ts';

export const GATEWAY = ['definitions/gateway.yaml', 'gateway: LOCAL\n'] as const;

/** What `check` refuses in definitions that are a project by themselves. */
export const judgeByCheck: Judge = (declared) => {
  // Each definition has a file, by which errors are found in it.
  const after = declared.map((each, index) => ({ ...each, file: `d${index}` }));
  const { files } = update({ files: new Map(), before: [], after, pathOf: (file) => `definitions/${file}.yaml` });
  const { diagnostics } = loadTexts(new Map([GATEWAY, ...files]));
  return diagnostics.flatMap(({ severity, message, at }): Refused[] => {
    if (severity !== 'error') return [];
    const definition = declared[Number(/\/d(\d+)\.yaml$/.exec(at.file)?.[1])];
    if (definition === undefined) return [];
    const { kind, id } = definition;
    const operation = operationAt(definition, files.get(at.file) ?? '', at.line);
    return [{ kind, id, message, ...(operation === undefined ? {} : { operation }) }];
  });
};

/** The operation of a service whose keys a line belongs to; `undefined` outside of operations. */
function operationAt({ kind, keys }: Declared, text: string, line: number): string | undefined {
  if (kind !== 'service') return undefined;
  const lines = text.split('\n').slice(0, line);
  const start = lines.lastIndexOf('operations:');
  const names = new Set(Object.keys(keys.operations as object));
  for (const each of start === -1 ? [] : lines.slice(start).reverse()) {
    const name = /^ {2}"?([A-Za-z0-9_]+)"?:/.exec(each)?.[1];
    if (name !== undefined && names.has(name)) return name;
  }
  return undefined;
}
