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
