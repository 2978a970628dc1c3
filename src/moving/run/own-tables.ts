import type { Tables } from '../../store/index.ts';

/**
 * What happens to the rows of one of the gateway's own tables. `moved`: as they are. `jobs`, `blobs`, `retention`: as the other
 * engine has them. `seeded`: moved, in place of the row that each new database has. `left`: they are about the database itself,
 * about processes that have ended, or of this minute.
 */
type Treatment = 'moved' | 'jobs' | 'blobs' | 'retention' | 'seeded' | 'left';

/** The gateway's own tables, none missing. */
export const OWN = {
  psprcsrqst: 'moved',
  signalbox_process_request: 'moved',
  signalbox_process_message: 'moved',
  signalbox_process_number: 'seeded',
  signalbox_query_run: 'moved',
  signalbox_saved_query: 'moved',
  signalbox_job: 'jobs',
  // The last numbers of keys, which only PostgreSQL keeps: computed from the jobs.
  signalbox_job_key: 'left',
  signalbox_dead_letter: 'moved',
  signalbox_recurring: 'moved',
  signalbox_job_attempt: 'moved',
  signalbox_paused_queue: 'moved',
  signalbox_job_rate: 'moved',
  signalbox_job_audit: 'moved',
  signalbox_job_gateway: 'left',
  signalbox_blob: 'blobs',
  signalbox_loose_blob: 'left',
  signalbox_blob_chunk: 'left',
  signalbox_blob_lease: 'left',
  signalbox_blob_reader: 'left',
  signalbox_message: 'moved',
  signalbox_message_content: 'moved',
  signalbox_message_field: 'moved',
  signalbox_delivery: 'moved',
  signalbox_delivery_attempt: 'moved',
  signalbox_reply_address: 'moved',
  signalbox_statistics: 'moved',
  signalbox_user: 'moved',
  signalbox_api_key: 'moved',
  signalbox_user_certificate: 'moved',
  signalbox_user_audit: 'moved',
  signalbox_user_version: 'seeded',
  signalbox_caller: 'moved',
  // A message or a call that was used once must not be usable again.
  signalbox_nonce: 'moved',
  signalbox_guess: 'moved',
  signalbox_once: 'moved',
  // Whoever is signed in signs in again.
  signalbox_session: 'left',
  signalbox_sign_in: 'left',
  signalbox_rate: 'left',
  signalbox_lease: 'left',
  signalbox_retention: 'retention',
  signalbox_definitions: 'moved',
  signalbox_definitions_order: 'moved',
  signalbox_installation: 'left',
  signalbox_migration: 'left',
  signalbox_migration_lock: 'left',
  // What ran on the other database is recorded there as it runs.
  signalbox_project_migration: 'left',
  signalbox_sample_data: 'left',
} as const satisfies Readonly<Record<keyof Tables | 'signalbox_rate', Treatment>>;

/** The treatment of a table; `undefined` for one of the project. */
export function treatmentOf(table: string): Treatment | undefined {
  if (Object.hasOwn(OWN, table)) return OWN[table as keyof typeof OWN];
  return table.startsWith('signalbox_') ? 'left' : undefined;
}
