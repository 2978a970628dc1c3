// Checks changed projects and contracts one after the other for its parent process, in that process's folder.
import { createCheck, type DefinitionsCase } from './check.ts';
import { checkImport, type ImportCase } from './contracts.ts';

const check = createCheck(process.cwd());

process.on('message', async (given: DefinitionsCase | ImportCase) => {
  process.send?.('location' in given ? await checkImport(given) : check(given));
});
