insert into vehicle (plate, vin, make, model, first_registered, odometer_km, status, driver, revision) values
  ('B-FL 100', 'WVWZZZ1KZAW000100', 'Volkswagen', 'Crafter', '2021-04-01', 84210, 'ACTIVE', 'Ada Byron', 1),
  ('B-FL 101', 'WVWZZZ1KZAW000101', 'Volkswagen', 'Crafter', '2021-04-01', 91050, 'ACTIVE', null, 1),
  ('B-FL 200', 'ZFA25000002000200', 'Fiat', 'Ducato', '2019-09-15', 143800, 'ACTIVE', null, 1),
  ('B-FL 300', 'WDB90663310000300', 'Mercedes-Benz', 'Sprinter', '2015-02-20', 402115, 'RETIRED', null, 1);
