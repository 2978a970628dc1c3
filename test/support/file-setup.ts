import { afterAll } from 'vitest';
import { endFile } from './file-end.ts';

// Unlike other modules, a setup file runs for every test file.
afterAll(endFile);
