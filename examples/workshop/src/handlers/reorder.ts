import { defineProcess } from '../../generated/handlers.ts';

interface Order {
  readonly part: string;
  readonly amount: number | bigint;
  readonly order: string;
  readonly due: string;
}

export default defineProcess('REORDER', {
  async run({ PART_NO }, context) {
    const short = await context.query('PARTS_SHORT', { PART_NO });
    const orders: Order[] = [];
    for (const { PART_NO: part, AMOUNT: amount } of short) {
      const REFERENCE = `${context.process.id} ${context.instance} ${part}`;
      const { value } = await context.flow('Dealer.order', { PART_NO: part, AMOUNT: amount, REFERENCE });
      orders.push({ part, amount, order: value.ORDER_ID, due: value.DUE });
      context.message('info', `Ordered ${amount} of ${part}: ${value.ORDER_ID}, due ${value.DUE}.`);
      context.progress((100 * orders.length) / short.length);
    }
    await context.report({ contentType: 'text/csv', name: 'orders.csv', stream: () => csv(orders) });
    await context.complete(async (tx) => {
      for (const order of orders) {
        await tx.execute(
          'insert into part_order (order_id, part_no, amount, due) values (:order, :part, :amount, :due)',
          { ...order },
        );
      }
    });
  },
});

async function* csv(orders: readonly Order[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from('part,amount,order,due\r\n');
  for (const { part, amount, order, due } of orders) yield Buffer.from(`${part},${amount},${order},${due}\r\n`);
}
