import { describe, expect, it } from 'vitest';
import { clientFile } from '../../src/generate/client-file.ts';
import { handlersFile } from '../../src/generate/handlers-file.ts';
import { registryFile } from '../../src/generate/registry-file.ts';
import { handlerStubs } from '../../src/generate/stubs.ts';
import { typesFile } from '../../src/generate/types-file.ts';
import { vocabulary } from '../../src/generate/vocabulary.ts';
import { fullRegistry } from './full-registry.ts';

// The texts are kept under fixtures/, where compile.test.ts type-checks them together with handlers.
describe('generated texts', () => {
  const registry = fullRegistry();

  it('types.ts', async () => {
    await expect(typesFile(vocabulary(registry))).toMatchFileSnapshot('fixtures/generated/types.ts');
  });

  it('handlers.ts', async () => {
    await expect(handlersFile(vocabulary(registry))).toMatchFileSnapshot('fixtures/generated/handlers.ts');
  });

  it('client.ts', async () => {
    await expect(clientFile(vocabulary(registry))).toMatchFileSnapshot('fixtures/generated/client.ts');
  });

  it('registry.json', async () => {
    await expect(registryFile(registry)).toMatchFileSnapshot('fixtures/generated/registry.json');
  });

  it('a stub for each handler file that is missing', async () => {
    const stubs = handlerStubs(registry, new Set(['src/handlers/word-get.ts', 'src/handlers/photo-get.ts']));
    expect([...stubs.keys()]).toEqual([
      'src/handlers/bill-put.ts',
      'src/handlers/count-get.ts',
      'src/handlers/file-put.ts',
      'src/handlers/file-send.ts',
      'src/handlers/kinds-get.ts',
      'src/handlers/locations-get.ts',
      'src/handlers/note-put.ts',
      'src/handlers/order-post.ts',
      'src/handlers/orders/copy.ts',
      'src/handlers/parts-put.ts',
      'src/handlers/party-put.ts',
      'src/handlers/payment-put.ts',
      'src/handlers/pets-put.ts',
      'src/handlers/photo-put.ts',
      'src/handlers/places-saved.ts',
      'src/handlers/prices-put.ts',
      'src/handlers/search-put.ts',
    ]);
    for (const [path, text] of stubs) await expect(text).toMatchFileSnapshot(`fixtures/${path}`);
  });
});
