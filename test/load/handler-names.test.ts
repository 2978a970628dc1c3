import { expect, it } from 'vitest';
import { fileNamedAs, handlerNamedAs } from '../../src/load/handlers.ts';

it.each([
  ['LOCATIONS_GET', 'locations-get'],
  ['bookShipment', 'book-shipment'],
  ['BookShipment', 'book-shipment'],
  ['getURLList', 'get-url-list'],
  ['address2Find', 'address2-find'],
  ['ADDRESS2_FIND', 'address2-find'],
  ['ORDERS', 'orders'],
])('the handler of %s is in the file %s', (id, file) => {
  expect(fileNamedAs(id)).toBe(file);
});

it('a handler of a qualified operation has the service in the name of its file', () => {
  expect(handlerNamedAs('Locations.v2.LOCATIONS_GET')).toBe('locations.v2-locations-get');
  expect(handlerNamedAs('Parcels.v1.bookShipment')).toBe('parcels.v1-book-shipment');
});
