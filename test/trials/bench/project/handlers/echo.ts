/** Returns its input. */
export default {
  onRequest: (request: object): object => request,
};
