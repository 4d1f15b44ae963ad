import { createHash } from 'node:crypto';
import { SCRIPT } from './script.ts';
import { STYLES } from './styles.ts';

/** Nothing is loaded from anywhere, and no script runs but the page's own, whatever a transcript holds. */
const POLICY = [
  "default-src 'none'",
  `style-src '${hashOf(STYLES)}'`,
  `script-src '${hashOf(SCRIPT)}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** Everything before the conversations. */
export const HEAD: string = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Replay</title>
<style>${STYLES}</style>
</head>
<body>
<header>
<h1>Replay</h1>
<p id="names"></p>
<p id="facts"></p>
<button type="button" id="theme">Theme: auto</button>
<p id="left-out"></p>
<details><summary>Decisions by policy</summary>
<div class="scroll" tabindex="0" role="region" aria-label="Decisions by policy"><table>
<thead><tr><th>Policy</th><th>Point</th><th>Decision</th><th>Until a divergence</th><th>Behind it</th></tr></thead>
<tbody id="policies"></tbody></table></div></details>
</header>
<form id="filters">
<label class="grow">Search <input id="search" type="search" autocomplete="off" spellcheck="false"></label>
<label>Show <select id="kind">
<option value="">everything</option><option value="news">with decisions</option>
<option value="diverged">diverged</option><option value="differences">with differences</option>
<option value="broken">broken or with problems</option>
</select></label>
<label>Policy <select id="policy"><option value="">any</option></select></label>
<label>Decision <select id="decision"><option value="">any</option></select></label>
<span id="count" role="status"></span>
<span class="keys"><kbd>/</kbd> search <kbd>j</kbd> <kbd>k</kbd> next, previous <kbd>Enter</kbd> open <kbd>Esc</kbd> back to the list</span>
</form>
<main>
<nav aria-label="Conversations"><ul id="list"></ul></nav>
<article id="conversation" tabindex="-1" aria-label="Conversation"></article>
</main>
<noscript><p>This report shows its conversations with a script of its own.</p></noscript>
`;

/** What the page knows beside its conversations, and what it does. */
export function tail(report: object): string {
  return `${dataScript('id="report"', report)}<script>${SCRIPT}</script>\n</body>\n</html>\n`;
}

export function conversationScript(view: object): string {
  return dataScript('class="conversation"', view);
}

/** Data that no browser reads as markup, whatever is in it. */
function dataScript(attribute: string, data: object): string {
  const text = JSON.stringify(data).replace(/[<>&\u2028\u2029]/g, escaped);
  return `<script type="application/json" ${attribute}>${text}</script>\n`;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
