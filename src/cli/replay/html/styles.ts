/** The look of the page. Colours have names, and each has a value by day and one by night. */
export const STYLES = `
:root {
  color-scheme: light;
  --page: #f6f7f9; --card: #ffffff; --line: #d5d9e0; --text: #1b2330; --soft: #566072;
  --accent: #1f5fbf; --picked: #e4edfb; --code: #f1f3f6;
  --red: #b3261e; --red-bg: #fdeceb; --amber: #8a5300; --amber-bg: #fff3dc;
  --violet: #7a2e9d; --violet-bg: #f7eafc; --teal: #0b6a6a; --teal-bg: #e2f5f4;
  --green: #1e6b34; --green-bg: #e6f5ea;
}
:root[data-theme="dark"] {
  color-scheme: dark;
  --page: #12161d; --card: #1a2029; --line: #333c4a; --text: #e4e8ee; --soft: #a3adbd;
  --accent: #82b1ff; --picked: #23344f; --code: #11151b;
  --red: #ff9a92; --red-bg: #3a1d1c; --amber: #ffc46b; --amber-bg: #372812;
  --violet: #e2a6ff; --violet-bg: #331f3d; --teal: #74d7d3; --teal-bg: #12312f;
  --green: #8fd8a3; --green-bg: #17301e;
}
@media (prefers-color-scheme: dark) {
  :root:not([data-theme="light"]) {
    color-scheme: dark;
    --page: #12161d; --card: #1a2029; --line: #333c4a; --text: #e4e8ee; --soft: #a3adbd;
    --accent: #82b1ff; --picked: #23344f; --code: #11151b;
    --red: #ff9a92; --red-bg: #3a1d1c; --amber: #ffc46b; --amber-bg: #372812;
    --violet: #e2a6ff; --violet-bg: #331f3d; --teal: #74d7d3; --teal-bg: #12312f;
    --green: #8fd8a3; --green-bg: #17301e;
  }
}
* { box-sizing: border-box; }
html, body { height: 100%; margin: 0; }
body {
  display: grid; grid-template-rows: auto auto 1fr; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif;
}
h1, h2, p, ul { margin: 0; padding: 0; }
h1 { font-size: 20px; }
h2 { font-size: 18px; overflow-wrap: anywhere; }
header { position: relative; padding: 16px 150px 8px 20px; display: flex; flex-wrap: wrap; gap: 4px 20px; align-items: baseline; }
header p { color: var(--soft); }
header button { position: absolute; top: 14px; right: 20px; }
p:empty { display: none; }
header details { flex-basis: 100%; }
summary { cursor: pointer; color: var(--soft); width: fit-content; border-radius: 4px; }
.scroll { overflow-x: auto; max-height: 30vh; overflow-y: auto; margin-top: 6px; }
table { border-collapse: collapse; font-size: 14px; background: var(--card); }
th, td { text-align: left; padding: 4px 14px 4px 10px; border: 1px solid var(--line); }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
form { padding: 8px 20px 12px; display: flex; flex-wrap: wrap; gap: 10px; align-items: end; border-bottom: 1px solid var(--line); }
label { display: grid; gap: 2px; font-size: 13px; color: var(--soft); }
input, select, button {
  font: inherit; color: var(--text); background: var(--card); border: 1px solid var(--line);
  border-radius: 6px; padding: 5px 10px; min-height: 34px;
}
label.grow { flex: 1 1 240px; }
select { max-width: 240px; }
button { cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 1px; }
#count { color: var(--soft); padding-bottom: 6px; min-width: 150px; }
main { display: grid; grid-template-columns: minmax(240px, 340px) 1fr; min-height: 0; }
nav { overflow-y: auto; border-right: 1px solid var(--line); padding: 10px; }
nav ul { list-style: none; display: grid; gap: 6px; }
nav button { width: 100%; text-align: left; display: grid; gap: 3px; padding: 8px 10px; }
nav button[aria-current="true"] { background: var(--picked); border-color: var(--accent); }
nav .place { color: var(--soft); font-size: 13px; overflow-wrap: anywhere; }
nav .name { font-weight: 600; overflow-wrap: anywhere; }
.tags { display: flex; flex-wrap: wrap; gap: 4px; }
.tag { font-size: 12px; line-height: 1.5; padding: 0 7px; border-radius: 9px; border: 1px solid currentColor; }
article { overflow-y: auto; padding: 18px 24px 60px; }
article > * { max-width: 860px; }
article > .note { max-width: 836px; }
article > p.place { color: var(--soft); margin-bottom: 12px; overflow-wrap: anywhere; }
.message { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 10px 14px; margin: 10px 0; }
.message.user { border-left: 4px solid var(--accent); }
.message.assistant { border-left: 4px solid var(--green); }
.role { font-size: 12px; font-weight: 600; letter-spacing: .04em; text-transform: uppercase; color: var(--soft); }
.text { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; }
.text + .text { margin-top: 8px; }
.thought { color: var(--soft); font-style: italic; }
pre {
  margin: 6px 0 0; padding: 8px 10px; background: var(--code); border-radius: 6px; max-height: 340px;
  overflow: auto; font: 13px/1.45 ui-monospace, "SF Mono", Menlo, Consolas, monospace;
  white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate;
}
.tool { font-weight: 600; overflow-wrap: anywhere; margin-top: 4px; }
.note { border-left: 4px solid currentColor; border-radius: 6px; padding: 8px 14px; margin: 8px 0 8px 24px; }
.note p, .note .text { color: var(--text); }
.note .where { color: var(--soft); font-size: 13px; }
.note.behind { opacity: .82; border-left-style: dashed; }
.pair { display: grid; grid-template-columns: auto 1fr; gap: 2px 12px; }
.pair .side { color: var(--soft); }
.red { color: var(--red); } .note.red { background: var(--red-bg); }
.amber { color: var(--amber); } .note.amber { background: var(--amber-bg); }
.violet { color: var(--violet); } .note.violet { background: var(--violet-bg); }
.teal { color: var(--teal); } .note.teal { background: var(--teal-bg); }
.green { color: var(--green); } .note.green { background: var(--green-bg); }
.divider { margin: 18px 0; border-top: 2px dashed var(--soft); padding-top: 6px; color: var(--soft); }
.hidden-character { color: var(--red); border: 1px solid currentColor; border-radius: 4px; font-size: 11px; padding: 0 3px; margin: 0 1px; }
mark { background: var(--amber-bg); color: inherit; outline: 1px solid var(--amber); }
.empty { color: var(--soft); padding: 20px 4px; }
kbd { border: 1px solid var(--line); border-radius: 4px; padding: 0 5px; font-size: 12px; background: var(--card); }
.keys { color: var(--soft); font-size: 13px; }
@media (max-width: 760px) {
  body { display: block; height: auto; }
  main { grid-template-columns: 1fr; }
  nav { max-height: 40vh; border-right: 0; border-bottom: 1px solid var(--line); }
  .note { margin-left: 8px; }
}
@media print { form, nav, header button { display: none; } main { display: block; } article { overflow: visible; } }
`;
