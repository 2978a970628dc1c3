-- Who pays for a job: the number of a cost centre, or an insurer and its claim.
alter table job add column cost_centre varchar(10);
alter table job add column insurer varchar(40);
alter table job add column claim varchar(30);
