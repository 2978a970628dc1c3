type Undo = () => unknown;

const undo: Undo[] = [];

/**
 * Undoes something after the last test of the file. Modules of support stay loaded from one test file to the next:
 * a hook that one of them sets as it is loaded would be the first file's alone.
 */
export function atFileEnd(work: Undo): void {
  undo.push(work);
}

/** Undoes everything, the latest first. */
export async function endFile(): Promise<void> {
  for (const work of undo.splice(0).reverse()) await work();
}
