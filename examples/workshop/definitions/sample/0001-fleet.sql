insert into vehicle (plate, vin, make, model, first_registered, odometer_km, status, driver, revision) values
  ('B-FL 100', 'WVWZZZ1KZAW000100', 'Volkswagen', 'Crafter', '2021-04-01', 84210, 'ACTIVE', 'Ada Byron', 1),
  ('B-FL 101', 'WVWZZZ1KZAW000101', 'Volkswagen', 'Crafter', '2021-04-01', 91050, 'ACTIVE', null, 1),
  ('B-FL 200', 'ZFA25000002000200', 'Fiat', 'Ducato', '2019-09-15', 143800, 'ACTIVE', null, 1),
  ('B-FL 300', 'WDB90663310000300', 'Mercedes-Benz', 'Sprinter', '2015-02-20', 402115, 'RETIRED', null, 1);
insert into part (part_no, descr, stock, minimum, price, revision) values
  ('BP-7', 'Brake pads, front axle', 6, 4, '48.95', 1),
  ('OF-2', 'Oil filter', 20, 10, '7.25', 1),
  ('WB-1', 'Wiper blade', 3, 5, '12.5', 1);
