import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Imported by the configurations of vitest, whose processes inherit it. Tests start hundreds of processes from the sources and from
// dist/: what one has compiled the next finds. The folder is that of the CLI itself.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache');
