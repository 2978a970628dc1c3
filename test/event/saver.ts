import { openAudited } from './audited.ts';

// A gateway's part that saves as fast as it can, until it is killed: `node saver.ts FOLDER`.

const { queue, components, component } = await openAudited(process.argv[2] as string);
await queue.start();
const facts = { user: undefined, requestId: 'r' };
for (let n = 0; ; n++) {
  await components.save(component, 'put', { ID: n % 3, NAME: `name ${n}` }, facts);
  if (n === 0) process.stdout.write('saving\n');
}
