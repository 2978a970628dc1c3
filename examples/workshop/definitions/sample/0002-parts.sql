insert into part (part_no, descr, stock, minimum, price, revision) values
  ('BP-7', 'Brake pads, front axle', 6, 4, '48.95', 1),
  ('OF-2', 'Oil filter', 20, 10, '7.25', 1),
  ('WB-1', 'Wiper blade', 3, 5, '12.5', 1);
