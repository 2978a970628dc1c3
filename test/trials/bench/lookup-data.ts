/** Path of the lookup, without the region at its end. */
export const LOOKUP_PATH = '/gateway/RESTListeningConnector/LOCAL/Lookup.v1/Employees';

/** Path to which lines are posted. */
export const LINES_PATH = '/gateway/RESTListeningConnector/LOCAL/Lookup.v1/Lines';

/** The reply of the lookup: about 1 KB of JSON. */
export function employees(region: string, location: string): Record<string, string>[] {
  return Array.from({ length: 7 }, (_, index) => ({
    DEPTNAME: 'Sales and Distribution',
    EMAIL_ADDR: `employee.${index}@${location.toLowerCase()}.example`,
    NAME: `Employee ${index} of ${region}`,
    PHONE: '+1 212 555 0100',
    TITLE: 'Regional Account Manager',
  }));
}
