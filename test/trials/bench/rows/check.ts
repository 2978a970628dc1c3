import { writeProject } from '../generated-project.ts';
import type { Row } from '../harness.ts';

export const check: Row = {
  name: 'check',
  about: 'check of 1,000 service files of about 60 lines; limit: the yaml package parses the same texts',
  async measure(bench) {
    const services = bench.smoke ? 100 : 1000;
    bench.say('check: writing the definitions');
    const root = writeProject(bench, services);
    const run = (what: 'parse' | 'load') => (): Promise<number> => bench.figure('check-once.ts', [what, root]);
    const figures = await bench.compare('check', run('parse'), run('load'));
    return [
      {
        job: `check of ${services.toLocaleString('en')} service files`,
        beside: "yaml's parse",
        unit: 'ms',
        ...figures,
        target: { kind: 'at-most', ratio: 1.5 },
      },
    ];
  },
};
