-- Vehicles of the fleet, and who changed them.
create table vehicle (
  plate varchar(12) not null primary key,
  vin varchar(17) not null,
  make varchar(30) not null,
  model varchar(30) not null,
  first_registered date not null,
  odometer_km bigint not null,
  status varchar(8) not null check (status in ('ACTIVE', 'IN_SHOP', 'RETIRED')),
  driver varchar(60),
  revision bigint not null,
  constraint vehicle_vin unique (vin)
);
create table vehicle_history (
  save varchar(36) not null primary key,
  plate varchar(12) not null,
  action varchar(8) not null,
  operator varchar(60) not null,
  status varchar(8),
  revision bigint not null
);
create index vehicle_history_plate on vehicle_history (plate);
