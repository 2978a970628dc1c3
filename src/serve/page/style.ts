/** A signal with its arm raised, as a `data:` URL. */
export const PAGE_ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%23566273' d='M11 2h2v13h-2z'/%3E%3Cpath fill='%230b8f57' d='M11 6.5 2 1.5v3.6l9 5z'/%3E%3C/svg%3E";

/** Style of the page at `/`: reads on a phone and on a wide screen, in light and in dark. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #566273; --line: #d9dfe7; --card: #fff; --back: #f5f7fa; --shade: #eef1f6; --link: #0b5cad; --slot: #8a3ffc;
--get: #0b6b43; --get-back: #e3f3eb; --post: #0b5cad; --post-back: #e3eefa; --put: #855000; --put-back: #fbf0dc; --delete: #a8202a; --delete-back: #fbe6e7; --soap: #5b3a9e; --soap-back: #efe8fb; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e9f0; --soft: #9fabbb; --line: #303a47; --card: #171d26; --back: #10141a; --shade: #0e1319; --link: #7db8f5; --slot: #c9a6ff;
--get: #6fdcab; --get-back: #17352a; --post: #8cc2f7; --post-back: #15304b; --put: #f0c069; --put-back: #3a2d12; --delete: #ffa3a8; --delete-back: #421c20; --soap: #cdb0ff; --soap-back: #2c2145; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--back); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
header { background: var(--card); border-bottom: 1px solid var(--line); }
header, main, footer { padding: 1.5rem max(1rem, (100vw - 60rem) / 2); }
h1 { display: flex; align-items: center; gap: .5rem; margin: 0; font-size: 1.5rem; letter-spacing: -.01em; }
h1::before { width: 1.75rem; height: 1.75rem; background: url("${PAGE_ICON}"); content: ''; }
h2 { margin: 0; font-size: 1.25rem; overflow-wrap: anywhere; scroll-margin-top: 1rem; }
h3 { margin: 0; font-size: 1rem; overflow-wrap: anywhere; }
p { margin: .25rem 0; }
small { color: var(--soft); font-size: .8em; font-weight: normal; }
a { color: var(--link); text-underline-offset: .15em; }
a:focus-visible, summary:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: .125rem; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
dl { display: grid; grid-template-columns: auto 1fr; align-items: baseline; gap: .125rem .75rem; margin: .75rem 0 0; }
dt { color: var(--soft); font-size: .875rem; }
dd { margin: 0; }
.index { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(9.5rem, 100%), 1fr)); gap: .375rem 1rem; max-height: 14.5rem; margin-top: 1rem; padding-top: 1rem; border-top: 1px solid var(--line); overflow-y: auto; overflow-wrap: anywhere; font-size: .9375rem; }
section { margin-bottom: 2.5rem; }
section:has(> details) { margin-bottom: 1.25rem; }
section:last-child { margin-bottom: 0; }
.title { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: .25rem 1rem; }
article { margin-top: .75rem; padding: .875rem 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
code, pre { font: .875rem/1.5 ui-monospace, 'DejaVu Sans Mono', monospace; overflow-wrap: anywhere; }
var { color: var(--slot); font-style: normal; }
pre { margin: .375rem 0 0; padding: .5rem .75rem; background: var(--shade); border-radius: .375rem; white-space: pre-wrap; user-select: all; }
pre span { white-space: nowrap; }
summary { width: max-content; padding: .125rem 0; color: var(--link); cursor: pointer; font-size: .875rem; }
.path { margin-top: .75rem; }
.method { display: inline-block; margin-right: .25rem; padding: 0 .4rem; border-radius: .25rem; background: var(--shade); color: var(--soft); font-size: .75rem; font-weight: 600; line-height: 1.375rem; letter-spacing: .02em; }
.get { background: var(--get-back); color: var(--get); }
.post { background: var(--post-back); color: var(--post); }
.put, .patch { background: var(--put-back); color: var(--put); }
.delete { background: var(--delete-back); color: var(--delete); }
.soap { background: var(--soap-back); color: var(--soap); }
.facts { color: var(--soft); font-size: .875rem; }
.badge { padding: 0 .5rem; border: 1px solid currentColor; border-radius: 1rem; color: var(--soft); font-size: .75rem; font-weight: normal; vertical-align: middle; white-space: nowrap; }
footer { padding-top: 0; font-size: .875rem; }
`;
