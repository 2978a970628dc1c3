import type { TestGateway } from './gateway.ts';

/** The values of a page of metrics, by name and labels: `signalbox_ready` or `signalbox_pool_waiting{pool="tables"}`. */
export async function metricsOf(gateway: Pick<TestGateway, 'call'>): Promise<ReadonlyMap<string, number>> {
  const { text } = await gateway.call('/metrics');
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );
}
