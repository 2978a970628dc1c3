// Checks one changed project after the other for the process that started it, in whose folder it is.
import { createCheck, type DefinitionsCase } from './check.ts';

const check = createCheck(process.cwd());

process.on('message', (given: DefinitionsCase) => process.send?.(check(given)));
