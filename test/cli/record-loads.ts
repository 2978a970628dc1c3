/** Preloaded with `--import`: writes the URLs of all modules that the process loads to the file RECORD_LOADS, when it ends. */
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const loaded: string[] = [];
registerHooks({
  load: (url, context, next) => {
    loaded.push(url);
    return next(url, context);
  },
});
process.once('exit', () => {
  // Node has this list for diagnosis: its own modules, also those that it loads on demand.
  const { moduleLoadList = [] } = process as { moduleLoadList?: readonly string[] };
  writeFileSync(process.env.RECORD_LOADS as string, JSON.stringify([...loaded, ...moduleLoadList]));
});
