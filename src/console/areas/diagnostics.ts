import type { BrokenLine } from '../../model/definition.ts';
import { counted } from '../../wire/words.ts';
import type { ConsolePorts } from '../console-port.ts';
import { type Html, html, NOTHING } from '../html.ts';
import { badge, code, heading, link, live, notice } from '../parts.ts';
import { type Area, page, pageRoute, type Visit } from '../route.ts';

/** The live subject: an edit that was not applied. */
export const EDIT_TOPIC = 'edit';

/** The notice on every page of `signalbox dev` while an edit is not applied. */
export function editNotice({ brokenEdit }: ConsolePorts): Html {
  if (brokenEdit === undefined) return NOTHING;
  const edit = brokenEdit();
  const errors = edit?.found.filter(({ severity }) => severity === 'error').length ?? 0;
  const why = errors === 0 ? 'the gateway could not start with it' : counted(errors, 'error');
  const text = html`The latest edit is not applied: ${why}. ${link('/diagnostics', 'See what is wrong')}; the version before keeps serving.`;
  return live({ here: '/diagnostics' }, EDIT_TOPIC, 'edit', edit === undefined ? NOTHING : notice('bad', text));
}

function show(visit: Visit) {
  const edit = visit.ports.brokenEdit?.();
  const body =
    edit === undefined
      ? html`<p class="empty">All edits are applied. When one is not, this page shows why, as signalbox dev does in its terminal, and clears once the files are mended.</p>`
      : html`<p>The version before keeps serving. Save the files again once they are mended.</p>
${edit.found.length === 0 ? code(edit.text, 'Why it is not applied') : edit.found.map(lineOf)}`;
  return page(
    'Diagnostics',
    html`${heading('Diagnostics', { about: 'Of the latest edit of the definitions.' })}${live(visit, EDIT_TOPIC, 'diagnostics', body)}`,
  );
}

function lineOf({ code: id, severity, message, hint, at, line }: BrokenLine): Html {
  return html`<article class="diagnostic">
<h2>${badge(severity === 'error' ? 'bad' : 'warn', severity)} ${message}</h2>
<p class="faint"><code>${at.file}:${at.line}:${at.column}</code> · ${id}</p>
${
  line === undefined
    ? NOTHING
    : html`<pre class="code" tabindex="0" role="region" aria-label="Line ${at.line} of ${at.file}"><code>${line}
${' '.repeat(Math.max(0, at.column - 1))}<span class="bad">^</span></code></pre>`
}
${hint === undefined ? NOTHING : html`<p>${hint}</p>`}
</article>`;
}

/** Only in gateways that follow edits. */
export const diagnosticsArea: Area = {
  id: 'diagnostics',
  title: 'Diagnostics',
  path: '/diagnostics',
  grant: 'read',
  isPresent: ({ brokenEdit }) => brokenEdit !== undefined,
  topics: [{ name: EDIT_TOPIC, state: async ({ brokenEdit }) => brokenEdit?.()?.text ?? '' }],
  routes: [pageRoute('/diagnostics', show)],
};
