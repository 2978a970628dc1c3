-- For saving locations: the column that counts saves (the lock), and the table that N_LOCATION_AUDIT writes to.

alter table location_tbl add column revision integer not null default 1;

create table location_audit (
  save varchar(36) primary key,
  region varchar(1) not null,
  location varchar(10) not null,
  action varchar(7) not null,
  oprid varchar(30) not null,
  audited varchar(24) not null,
  was text,
  is_now text
);

create index location_audit_record on location_audit (region, location);
