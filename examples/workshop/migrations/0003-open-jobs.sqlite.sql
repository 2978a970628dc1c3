create index job_open on job (plate) where closed is null;
