-- 600 requests of the process scheduler: six operators, seven types, every run status, 180 days. Computed by fixed
-- arithmetic from the row's number x, in SQL that both SQLite and PostgreSQL accept.
insert into psprcsrqst (prcsinstance, jobinstance, mainjobinstance, prcsjobseq, prcsjobname, prcstype, prcsname,
  mainjobname, runlocation, opsys, servernamerqst, servernamerun, rundttm, recurname, oprid, runcntlid, runstatus,
  diststatus, rqstdttm, begindttm, enddttm)
with recursive
  n(x) as (select 1 union all select x + 1 from n where x < 600),
  -- Every 25th request is a job; the three after it are its steps.
  steps(x, step, first) as (select x, x % 25, case when x % 25 <= 3 then x - x % 25 else x end from n),
  parts(x, step, first, minute, took, pick) as (
    select x, step, first, (first * 137) % 1320 + x - first, (x * 11) % 53, (x * 7) % 40 from steps),
  kinds(x, step, minute, took, month, day, status, two) as (
    select x, step, minute, took, 1 + (x - 1) / 100, 1 + (first * 3) % 28,
      case
        when x > 590 then '5' when x > 585 then '7' when x > 583 then '6' when x > 580 then '16'
        when pick = 0 then '1' when pick = 1 then '2' when pick in (2, 3, 4) then '3' when pick = 5 then '4'
        when pick in (6, 7) then '8' when pick in (8, 9) then '10' when pick in (10, 11, 12) then '17'
        when pick = 13 then '18' when pick = 14 then '19' else '9'
      end,
      -- The text of a number below 60 with two digits is at 2 * number + 1.
      '000102030405060708091011121314151617181920212223242526272829303132333435363738394041424344454647484950515253545556575859'
    from parts),
  times(x, step, status, date, requested, started, finished) as (
    select x, step, status,
      '2026-' || substr(two, 2 * month + 1, 2) || '-' || substr(two, 2 * day + 1, 2) || ' ',
      substr(two, 2 * (minute / 60) + 1, 2) || ':' || substr(two, 2 * (minute % 60) + 1, 2) || ':' || substr(two, 2 * (x % 60) + 1, 2),
      substr(two, 2 * ((minute + 2) / 60) + 1, 2) || ':' || substr(two, 2 * ((minute + 2) % 60) + 1, 2) || ':05',
      substr(two, 2 * ((minute + 3 + took) / 60) + 1, 2) || ':' || substr(two, 2 * ((minute + 3 + took) % 60) + 1, 2) || ':40'
    from kinds)
select
  1000 + x,
  case when step <= 3 and x >= 25 then 1000 + x else 0 end,
  case when step <= 3 and x >= 25 then 1000 + x - step else 0 end,
  case when step <= 3 and x >= 25 then step else 0 end,
  case when step <= 3 and x >= 25 then 'NIGHTLY' else '' end,
  case
    when step = 0 then 'PSJob'
    else case x % 6 when 0 then 'Application Engine' when 1 then 'SQR Report' when 2 then 'PSQuery' when 3 then 'COBOL SQL'
      when 4 then 'XML Publisher' else 'Data Mover' end
  end,
  case
    when step = 0 then 'NIGHTLY'
    else case x % 6 when 0 then 'LOCATION_EXTRACT' when 1 then 'XRFWIN' when 2 then 'PROCESS_MONITOR' when 3 then 'PTPDBTST'
      when 4 then 'EMPLOYEE_LIST' else 'SYSAUDIT' end
  end,
  case when step <= 3 and x >= 25 then 'NIGHTLY' else '' end,
  case x % 2 when 0 then '2' else '3' end,
  case x % 2 when 0 then '2' else '4' end,
  case x % 2 when 0 then 'PSNT' else 'PSUNX' end,
  case when status in ('5', '16', '18') then '' when x % 2 = 0 then 'PSNT' else 'PSUNX' end,
  date || requested,
  case when step = 0 then 'Daily 6 AM' when x % 50 = 7 then 'Weekly Sunday' else '' end,
  case (x * 5) % 13 when 0 then 'PS' when 1 then 'BATCH' when 2 then 'BATCH' when 3 then 'MGARCIA' when 4 then 'JSMITH'
    when 5 then 'JSMITH' when 6 then 'KU0007' else 'VP1' end,
  'RC_' || (1 + x % 17),
  status,
  case status when '9' then '5' when '17' then '5' when '7' then '2' when '3' then '4' when '10' then '4' else '0' end,
  date || requested,
  case when status in ('5', '16', '18', '4', '1', '2', '19') then null else date || started end,
  case when status in ('5', '16', '18', '4', '1', '2', '19', '6', '7') then null else date || finished end
from times;
