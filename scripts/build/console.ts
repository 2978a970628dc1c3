import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

/** Packages that run in the browser, as parts of the console's scripts and styles. */
export const IN_BROWSER = ['htmx.org', 'idiomorph', 'uplot'];

/** Bundles what the console's pages load: one script for all, one for pages with charts, and the styles of both. */
export async function bundleConsole(root: string, to: string): Promise<void> {
  const from = join(root, 'src/console/browser');
  const assets = join(to, 'console/assets');
  mkdirSync(assets, { recursive: true });
  for (const name of ['console', 'charts']) {
    const build = await rolldown({
      input: join(from, `${name}.ts`),
      platform: 'browser',
      // htmx runs a text as code only where a page allows it, which no page of the console does.
      onLog: (level, log) => {
        if (level === 'warn' && log.code !== 'EVAL') throw new Error(log.message);
      },
    });
    await build.write({ file: join(assets, `${name}.js`), format: 'iife', minify: true });
    await build.close();
  }
  const styles = [join(root, 'node_modules/uplot/dist/uPlot.min.css'), join(from, 'console.css')];
  writeFileSync(join(assets, 'console.css'), lean(styles.map((file) => readFileSync(file, 'utf8')).join('\n')));
  cpSync(join(from, 'icon.svg'), join(assets, 'icon.svg'));
}

/** Styles without comments and the spaces at the ends of lines. */
const lean = (css: string): string =>
  css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s*\n\s*/g, '\n')
    .trim();
