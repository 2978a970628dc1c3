/** Style of the page at `/`: reads on a phone and on a wide screen, in light and in dark. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #566273; --line: #d9dfe7; --paper: #fff; --card: #fff; --back: #f5f7fa; --shade: #eef1f6; --link: #0b5cad; --mark: #0b6b43; --tint: #e3f3eb; --slot: #8a3ffc; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e9f0; --soft: #9fabbb; --line: #303a47; --paper: #171d26; --card: #171d26; --back: #10141a; --shade: #0e1319; --link: #7db8f5; --mark: #6fdcab; --tint: #17352a; --slot: #c9a6ff; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
header { background: var(--paper); border-bottom: 1px solid var(--line); }
header, main, footer { padding: 1.25rem max(1.25rem, (100vw - 64rem) / 2); }
h1 { margin: 0; font-size: 1.5rem; letter-spacing: -.01em; }
h2 { margin: 0; font-size: 1.25rem; overflow-wrap: anywhere; scroll-margin-top: 1rem; }
h3 { margin: 0; font-size: 1rem; overflow-wrap: anywhere; }
p { margin: .25rem 0; }
small { color: var(--soft); font-size: .8em; font-weight: normal; }
a { color: var(--link); text-underline-offset: .15em; }
a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: .125rem; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
header nav { margin-top: .75rem; }
section { margin-bottom: 2.5rem; }
section:last-child { margin-bottom: 0; }
.title { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: .25rem 1rem; }
article { margin-top: 1rem; padding: 1rem 1.125rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
code, pre { font: .875rem/1.5 ui-monospace, 'DejaVu Sans Mono', monospace; overflow-wrap: anywhere; }
var { color: var(--slot); font-style: normal; }
pre { margin: .375rem 0 0; padding: .625rem .75rem; background: var(--shade); border-radius: .375rem; white-space: pre-wrap; user-select: all; }
pre span { white-space: nowrap; }
.path { margin-top: .875rem; }
.method { display: inline-block; margin-right: .25rem; padding: 0 .4rem; border-radius: .25rem; background: var(--tint); color: var(--mark); font-size: .75rem; font-weight: 600; line-height: 1.375rem; letter-spacing: .02em; }
.facts { margin-top: .75rem; color: var(--soft); font-size: .875rem; }
.badge { padding: 0 .5rem; border: 1px solid currentColor; border-radius: 1rem; color: var(--soft); font-size: .75rem; font-weight: normal; vertical-align: middle; white-space: nowrap; }
footer { padding-top: 0; font-size: .875rem; }
`;

/** A signal with its arm raised, as a `data:` URL. */
export const PAGE_ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%23566273' d='M11 2h2v13h-2z'/%3E%3Cpath fill='%230b8f57' d='M11 6.5 2 1.5v3.6l9 5z'/%3E%3C/svg%3E";
