/** Answers what it is told. */
export default {
  onRequest: (request: object): object => request,
};
