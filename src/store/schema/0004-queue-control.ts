import { sql } from 'kysely';
import type { Store } from '../store-port.ts';
import type { Db } from '../tables.ts';

/** What operators see of the queue and do with it: attempts, who runs a job, paused queues, rates, and the trail of actions. */
export async function addQueueControl(db: Db, kind: Store['kind']): Promise<void> {
  const id = kind === 'sqlite' ? 'text' : 'uuid';
  const added = [
    ['signalbox_job', 'entered bigint'],
    ['signalbox_job', 'started bigint'],
    ['signalbox_job', 'gateway text'],
    ['signalbox_job', 'recorded integer default 0 not null'],
    ['signalbox_dead_letter', 'entered bigint'],
  ];
  for (const [table, column] of added) await sql.raw(`alter table ${table} add column ${column}`).execute(db);
  const created = [
    `create table signalbox_job_attempt (queue text not null, job ${id} not null, number integer not null,
      attempt integer not null, gateway text, began bigint, ended bigint not null, reason text not null,
      constraint signalbox_job_attempt_pk primary key (job, queue, number))`,
    'create table signalbox_paused_queue (queue text primary key, paused text not null, actor text not null)',
    `create table signalbox_job_rate (queue text not null, minute bigint not null, gateway text not null,
      done integer not null, constraint signalbox_job_rate_pk primary key (queue, minute, gateway))`,
    `create table signalbox_job_audit (id text primary key, at text not null, actor text not null,
      action text not null, queue text not null, job text)`,
    'create index signalbox_job_audit_at on signalbox_job_audit (at)',
  ];
  for (const statement of created) await sql.raw(statement.replace(/\s+/g, ' ')).execute(db);
}
