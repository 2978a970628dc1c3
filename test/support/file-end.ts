type Undo = () => unknown;

const undo: Undo[] = [];

/**
 * Undoes something after the last test of the file. Modules in this folder stay loaded from one test file to the next, so a hook
 * that one of them registered while loading would run for the first file only.
 */
export function atFileEnd(work: Undo): void {
  undo.push(work);
}

/** Undoes everything, in reverse order. */
export async function endFile(): Promise<void> {
  for (const work of undo.splice(0).reverse()) await work();
}
