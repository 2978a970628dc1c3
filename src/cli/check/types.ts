import { codeDiagnostic, type Diagnostic } from '../../load/index.ts';
import type { Registry } from '../../model/registry.ts';
import { planGenerated } from '../generated-files.ts';
import { compileTypes, findCompiler } from './compiler.ts';

/**
 * Runs the TypeScript compiler of a project, if what is generated for it matches the definitions.
 * @throws CliFailure when the compiler or its configuration is missing, or when it fails
 */
export async function checkTypes(registry: Registry, root: string): Promise<Diagnostic[]> {
  const compiler = findCompiler(root);
  const outdated = await outdatedTypes(registry, root);
  if (outdated.length > 0) {
    const [file = ''] = outdated;
    return [codeDiagnostic('generated-outdated', { files: outdated }, { file, line: 1, column: 1 })];
  }
  return compileTypes(root, compiler);
}

/** The files of types in `generated/` that differ from those of the definitions. */
async function outdatedTypes(registry: Registry, root: string): Promise<string[]> {
  const { write, remove } = await planGenerated(root, registry);
  return [...write.keys(), ...remove].filter((path) => path.endsWith('.ts')).sort();
}
