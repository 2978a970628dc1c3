import { defineHandler } from '../../generated/handlers.ts';

export default defineHandler('HELLO_GET', {
  onRequest(request) {
    return { GREETING: `Hello, ${request.NAME}!` };
  },
});
