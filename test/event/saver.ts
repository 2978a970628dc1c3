import { openAudited } from './audited.ts';

// A gateway's part that saves as fast as it can, until it is killed: `node saver.ts FOLDER`. It prints a dot for each save.

const { queue, components, component } = await openAudited(process.argv[2] as string);
await queue.start();
const facts = { user: undefined, requestId: 'r' };
for (let n = 0; ; n++) {
  await components.save(component, 'put', { ID: n % 3, NAME: `name ${n}` }, facts);
  process.stdout.write('.');
}
