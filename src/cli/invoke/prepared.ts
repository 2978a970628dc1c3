import type { PreparedRequest } from '../../invoke/index.ts';
import { printable } from '../terminal.ts';

/** Requests as they would be sent, in the form that travels; each with what it is above it. */
export function renderPrepared(requests: readonly PreparedRequest[]): string {
  return requests.map((request, index) => renderOne(request, index + 1, requests.length)).join('\n');
}

function renderOne({ operation, method, url, headers, body }: PreparedRequest, index: number, of: number): string {
  const lines = [
    of === 1 ? `# ${operation}` : `# ${index} of ${of}: ${operation}`,
    `${method} ${url}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  const text = body === undefined ? [] : ['', ...body.split('\n')];
  return `${[...lines, ...text].map(printable).join('\n')}\n`;
}
