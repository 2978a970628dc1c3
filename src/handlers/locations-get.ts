import { defineHandler } from '../../generated/handlers.ts';

/**
 * One operation behind two URIs (specification 4.2): a region's locations, or the employees at one of them. What is
 * left out of the reply follows LOC_RESPONSE: no EMP_DATA is one object of empty strings, no LOC_DATA is nothing.
 */
export default defineHandler('LOCATIONS_GET', {
  async onRequest({ REGION, LOCATION }, context) {
    if (LOCATION === undefined) {
      return { LOC_DATA: await context.query('LOCATIONS_BY_REGION', { REGION }) };
    }
    return { EMP_DATA: await context.query('EMPLOYEES_BY_LOCATION', { REGION, LOCATION }) };
  },

  onError(fault) {
    return fault.message;
  },
});
