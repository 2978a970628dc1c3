-- Jobs of the workshop; each takes parts from the stock.
create table job (
  job_no integer primary key autoincrement,
  plate text not null references vehicle (plate),
  title text not null,
  mechanic text,
  opened text not null,
  closed text,
  hours numeric
);
create table part (
  part_no text not null primary key,
  descr text not null,
  stock integer not null check (stock >= 0),
  minimum integer not null,
  price numeric not null,
  revision integer not null
);
create table job_part (
  job_no integer not null references job (job_no),
  part_no text not null references part (part_no),
  amount integer not null,
  price numeric not null,
  primary key (job_no, part_no)
);
