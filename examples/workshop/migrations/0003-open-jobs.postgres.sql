-- signalbox: no transaction
drop index concurrently if exists job_open;
create index concurrently job_open on job (plate) where closed is null;
