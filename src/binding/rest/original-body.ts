import type { OriginalRequest } from '../../model/original-shape.ts';
import type { Operation } from '../../model/service.ts';
import { isXmlType, parseMediaType } from '../../wire/media-type.ts';
import { readXml } from '../../wire/xml/read.ts';
import { speaking } from '../complaint.ts';
import { compileOriginalRequest } from '../soap/original.ts';
import type { RequestBody } from './body.ts';
import type { RestBinding } from './rest.ts';

/** An operation's REST form that reads XML bodies in the original's shape too, known by their root; others are read as ever. */
export function withOriginalBody(binding: RestBinding, operation: Operation, shape: OriginalRequest): RestBinding {
  const readOriginal = compileOriginalRequest(shape, operation.request);
  return {
    ...binding,
    readRequest(uri, raw, header, body) {
      const type = body.present && body.contentType !== undefined ? parseMediaType(body.contentType) : undefined;
      if (type === undefined || !isXmlType(type.essence)) return binding.readRequest(uri, raw, header, body);
      return body.text().then((text) => {
        const root = speaking(() => readXml(text));
        if (shape.roots.includes(root.local)) return readOriginal(root);
        const again: RequestBody = { ...body, text: () => Promise.resolve(text) };
        return binding.readRequest(uri, raw, header, again);
      });
    },
  };
}
