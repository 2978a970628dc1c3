// Checks changed projects one after the other for its parent process, in that process's folder.
import { createCheck, type DefinitionsCase } from './check.ts';

const check = createCheck(process.cwd());

process.on('message', (given: DefinitionsCase) => process.send?.(check(given)));
