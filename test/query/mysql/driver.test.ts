import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

it('a driver that is not installed is named, with what to do', () => {
  const hooks = `import { registerHooks } from 'node:module';
    registerHooks({
      resolve(name, context, next) {
        if (name === 'mysql2') throw Object.assign(new Error('no mysql2'), { code: 'ERR_MODULE_NOT_FOUND' });
        return next(name, context);
      },
    });`;
  const module = new URL('../../../src/query/index.ts', import.meta.url).href;
  const script = `const { reachDatabase } = await import('${module}');
    await reachDatabase('mysql://reader@db.example.org/hr', '/').catch((error) => console.log(error.message));`;
  const said = execFileSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(hooks)}`, '--input-type=module', '-e', script],
    { encoding: 'utf8' },
  );
  expect(said.trim()).toBe('its driver mysql2 is not installed; run `npm install mysql2`');
});
