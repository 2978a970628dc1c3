-- Jobs of the workshop; each takes parts from the stock.
create table job (
  job_no bigint generated always as identity primary key,
  plate varchar(12) not null references vehicle (plate),
  title varchar(80) not null,
  mechanic varchar(60),
  opened timestamptz not null,
  closed timestamptz,
  hours numeric(5, 2)
);
create table part (
  part_no varchar(20) not null primary key,
  descr varchar(60) not null,
  stock bigint not null check (stock >= 0),
  minimum bigint not null,
  price numeric(10, 2) not null,
  revision bigint not null
);
create table job_part (
  job_no bigint not null references job (job_no),
  part_no varchar(20) not null references part (part_no),
  amount bigint not null,
  price numeric(10, 2) not null,
  primary key (job_no, part_no)
);
