import type { Handler } from '../../../../../src/model/handler.ts';
import { employees } from '../../lookup-data.ts';

const handler: Handler = {
  onRequest({ REGION, LOCATION }: { REGION: string; LOCATION: string }) {
    return { EMP_DATA: employees(REGION, LOCATION) };
  },
};

export default handler;
