/**
 * What the page does, in the language of browsers. Everything of a transcript goes into the page as text, never as
 * markup; characters that would turn a text around or hide it are written out.
 */
export const SCRIPT: string = String.raw`
'use strict';
const $ = (id) => document.getElementById(id);
const report = JSON.parse($('report').textContent);
const views = [...document.querySelectorAll('script.conversation')].map((one) => JSON.parse(one.textContent));
const COLOURS = { block: 'red', failed: 'red', abort: 'red', 'requires-confirmation': 'amber',
  'retry-with-feedback': 'violet', modify: 'teal' };
const WHY = { blocked: 'a call was blocked', denied: 'a confirmation was denied', 'sent-back': 'a response was sent back',
  'turn-ended': 'the turn was ended', 'text-withheld': 'a text was withheld', invalid: 'the engine refused a call',
  'not-executed': 'a batch was not run', 'unknown-tool': 'the engine refused a call', ran: 'a call would run that did not run in the record' };
const REWRITES = { request: 'The model is sent something else, by a rewrite or a feedback.',
  input: 'The tool is given something else, by a rewrite.', text: 'The user is shown something else, by a rewrite.' };
const HIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
let shown = [];
let current = -1;

function put(parent, name, className, text) {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (text !== undefined) write(element, String(text));
  parent.append(element);
  return element;
}

/** A foreign text: hidden characters are named, and what is searched for is marked. */
function write(element, text) {
  let at = 0;
  for (const match of text.matchAll(HIDDEN)) {
    writeMarked(element, text.slice(at, match.index));
    const code = match[0].codePointAt(0).toString(16).toUpperCase().padStart(4, '0');
    const named = document.createElement('span');
    named.className = 'hidden-character';
    named.textContent = 'U+' + code;
    element.append(named);
    at = match.index + match[0].length;
  }
  writeMarked(element, text.slice(at));
}

function writeMarked(element, text) {
  const wanted = $('search').value.trim().toLowerCase();
  const lower = text.toLowerCase();
  // Where lower case is longer than upper case, places in the two texts are not the same.
  let at = 0;
  if (wanted !== '' && lower.length === text.length) {
    for (let found = lower.indexOf(wanted); found !== -1; found = lower.indexOf(wanted, at)) {
      element.append(text.slice(at, found));
      const mark = document.createElement('mark');
      mark.textContent = text.slice(found, found + wanted.length);
      element.append(mark);
      at = found + wanted.length;
    }
  }
  element.append(text.slice(at));
}

function textBlock(parent, name, className, text) {
  const element = put(parent, name, className, text);
  element.dir = 'auto';
  return element;
}

function searchable(view) {
  view.haystack ??= JSON.stringify([view.id, view.place, view.broken, view.problems, textsOf(view.items)]).toLowerCase();
  return view.haystack;
}

function textsOf(items) {
  return items.map((item) => {
    if (item.type === 'message') return item.parts.map(({ tool = '', text }) => tool + '\n' + text);
    if (item.type === 'difference') return [item.difference.hooks, item.difference.against].map(decisionText);
    return decisionText(item);
  });
}

function decisionText(one) {
  return one ? [one.policy, one.point, one.decision, one.reason, one.toolName].filter(Boolean) : [];
}

function matches(view) {
  const kind = $('kind').value;
  if (kind === 'news' && view.news === 0) return false;
  if (kind === 'diverged' && !view.diverged) return false;
  if (kind === 'differences' && view.differences === 0) return false;
  if (kind === 'broken' && view.broken === undefined && view.problems.length === 0) return false;
  const policy = $('policy').value;
  if (policy !== '' && !view.policies.includes(policy)) return false;
  const decision = $('decision').value;
  if (decision !== '' && !view.decisions.includes(decision)) return false;
  const wanted = $('search').value.trim().toLowerCase();
  return wanted === '' || searchable(view).includes(JSON.stringify(wanted).slice(1, -1));
}

function list() {
  shown = views.map((view, index) => [view, index]).filter(([view]) => matches(view));
  const items = shown.map(([view, index]) => {
    const item = document.createElement('li');
    const button = put(item, 'button');
    button.type = 'button';
    button.dataset.index = index;
    button.setAttribute('aria-current', String(index === current));
    put(button, 'span', 'name', view.id);
    put(button, 'span', 'place', view.place);
    tags(put(button, 'span', 'tags'), view);
    return item;
  });
  $('list').replaceChildren(...items);
  if (items.length === 0) put($('list'), 'li', 'empty', 'No conversation is like that.');
  $('count').textContent = shown.length + ' of ' + views.length + ' conversations';
}

function tags(parent, view) {
  if (view.broken !== undefined) put(parent, 'span', 'tag red', 'broken');
  if (view.problems.length > 0) put(parent, 'span', 'tag red', 'problem');
  if (view.differences > 0) put(parent, 'span', 'tag violet', counted(view.differences, 'difference'));
  if (view.news > 0) put(parent, 'span', 'tag amber', counted(view.news, 'decision'));
  if (view.diverged) put(parent, 'span', 'tag', 'diverged');
}

function counted(count, one) {
  return count + ' ' + one + (count === 1 ? '' : 's');
}

function open(index, options) {
  const view = views[index];
  if (view === undefined) return;
  current = index;
  for (const button of $('list').querySelectorAll('button'))
    button.setAttribute('aria-current', String(Number(button.dataset.index) === index));
  const article = $('conversation');
  article.replaceChildren();
  textBlock(article, 'h2', '', view.id);
  put(article, 'p', 'place', view.place);
  if (view.broken !== undefined) note(article, 'red', 'Broken', view.broken);
  for (const problem of view.problems) note(article, 'red', 'Problem', problem);
  for (const item of view.items) show(article, item);
  article.scrollTop = 0;
  history.replaceState(null, '', '#' + (index + 1));
  if (options.focus) article.focus();
}

function show(parent, item) {
  if (item.type === 'message') return message(parent, item);
  if (item.type === 'decision') return decision(parent, item);
  if (item.type === 'difference') return difference(parent, item.difference);
  const whose = item.side === 'against' ? 'The other policies diverged here: ' : 'Diverged here: ';
  const by = item.by === undefined ? '' : ', by ' + item.by;
  put(parent, 'p', 'divider', whose + (WHY[item.why] ?? item.why) + by
    + '. The record goes on as if nothing had happened; what is decided from here on is counted apart.');
}

function message(parent, { role, parts }) {
  const box = put(parent, 'section', 'message ' + role);
  put(box, 'div', 'role', role);
  for (const part of parts) {
    if (part.type === 'text') textBlock(box, 'div', 'text', part.text);
    else if (part.type === 'thought') textBlock(box, 'div', 'text thought', part.text);
    else if (part.type === 'file') put(box, 'div', 'text', '[file ' + part.text + ']');
    else {
      const outcome = part.type === 'result' && part.outcome !== 'succeeded' ? ' (' + part.outcome + ')' : '';
      put(box, 'div', 'tool', (part.type === 'call' ? 'calls ' : 'answer of ') + part.tool + outcome);
      textBlock(box, 'pre', '', part.text);
    }
  }
  if (parts.length === 0) put(box, 'div', 'text thought', '(nothing)');
}

function decision(parent, one) {
  const box = put(parent, 'section', 'note ' + (COLOURS[one.decision] ?? 'green') + (one.after ? ' behind' : ''));
  put(box, 'strong', '', one.decision + ' by ' + one.policy);
  if (one.reason !== undefined) textBlock(box, 'div', 'text', one.reason);
  put(box, 'p', 'where', whereOf(one) + marksOf(one));
}

function difference(parent, one) {
  const box = put(parent, 'section', 'note violet' + (one.after ? ' behind' : ''));
  put(box, 'strong', '', 'Difference');
  if (one.type === 'rewrite') {
    put(box, 'div', 'text', REWRITES[one.what]);
    put(box, 'p', 'where', 'turn ' + one.turn + ', step ' + one.step + (one.after ? ', counted apart' : ''));
    return;
  }
  const pair = put(box, 'div', 'pair');
  for (const side of ['hooks', 'against']) {
    put(pair, 'span', 'side', side);
    const said = one[side];
    const words = said === undefined ? 'nothing' : said.decision + ' by ' + said.policy + (said.reason === undefined ? '' : ': ' + said.reason);
    textBlock(pair, 'span', 'text', words);
  }
  put(box, 'p', 'where', whereOf(one.hooks ?? one.against) + (one.after ? ', counted apart' : ''));
}

function whereOf(one) {
  return 'turn ' + one.turn + ', step ' + one.step + ', ' + one.point + (one.toolName === undefined ? '' : ' ' + one.toolName);
}

function marksOf(one) {
  return (one.shadow ? ', on trial' : '') + (one.again ? ', asked again' : '') + (one.after ? ', counted apart' : '');
}

function note(parent, colour, title, text) {
  const box = put(parent, 'section', 'note ' + colour);
  put(box, 'strong', '', title);
  textBlock(box, 'div', 'text', text);
}

function fill(select, values) {
  for (const value of [...new Set(values)].sort()) {
    const option = put(select, 'option', '', value);
    option.value = value;
  }
}

function summary() {
  const { conversations, diverged, broken, problems, differences, turns, steps, calls } = report.summary;
  const facts = [counted(conversations, 'conversation'), diverged + ' diverged'];
  if (differences) facts.push(counted(differences.until, 'difference') + (differences.after ? ' and ' + differences.after + ' behind a divergence' : ''));
  if (broken > 0) facts.push(broken + ' broken');
  if (problems > 0) facts.push(problems + ' with problems');
  facts.push(counted(turns, 'turn'), counted(steps, 'model call'), counted(calls, 'tool call'));
  $('facts').textContent = facts.join(', ');
  put($('names'), 'span', '', report.hooks + (report.against === undefined ? '' : ' against ' + report.against));
  if (report.leftOut > 0) $('left-out').textContent = counted(report.leftOut, 'conversation') + ' left out of this page for its size; they are counted.';
  for (const one of report.summary.decisions) {
    const row = put($('policies'), 'tr');
    put(row, 'td', '', one.policy);
    put(row, 'td', '', one.point);
    put(row, 'td', COLOURS[one.decision] ?? 'green', one.decision + (one.shadow ? ' (on trial)' : ''));
    put(row, 'td', 'number', one.until);
    put(row, 'td', 'number', one.after);
  }
}

function neighbour(step) {
  const buttons = [...$('list').querySelectorAll('button')];
  const focused = buttons.indexOf(document.activeElement);
  const opened = buttons.findIndex((button) => Number(button.dataset.index) === current);
  const from = focused === -1 ? opened : focused;
  const next = buttons[Math.min(buttons.length - 1, Math.max(0, from + step))];
  next?.focus();
  return next;
}

const THEMES = ['auto', 'light', 'dark'];
function theme() {
  const next = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme ?? 'auto') + 1) % 3];
  if (next === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  $('theme').textContent = 'Theme: ' + next;
}

function keys(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = /^(INPUT|SELECT)$/.test(document.activeElement.tagName);
  const inList = $('list').contains(document.activeElement);
  if (event.key === 'Escape') {
    if (typing && $('search').value !== '') { $('search').value = ''; list(); }
    else neighbour(0);
  } else if (event.key === 'ArrowDown' && (inList || document.activeElement === $('search'))) neighbour(inList ? 1 : 0);
  else if (event.key === 'ArrowUp' && inList) neighbour(-1);
  else if (typing) return;
  else if (event.key === '/') $('search').focus();
  else if (event.key === 'j' || event.key === 'k') {
    const next = neighbour(event.key === 'j' ? 1 : -1);
    if (next) open(Number(next.dataset.index), { focus: false });
  } else return;
  event.preventDefault();
}

summary();
fill($('policy'), views.flatMap(({ policies }) => policies));
fill($('decision'), views.flatMap(({ decisions }) => decisions));
list();
$('search').addEventListener('input', () => { list(); if (current !== -1) open(current, { focus: false }); });
for (const id of ['kind', 'policy', 'decision']) $(id).addEventListener('change', list);
$('list').addEventListener('click', (event) => {
  const button = event.target.closest('button');
  if (button) open(Number(button.dataset.index), { focus: true });
});
$('theme').addEventListener('click', theme);
$('filters').addEventListener('submit', (event) => { event.preventDefault(); neighbour(0); });
document.addEventListener('keydown', keys);
open(Number(location.hash.slice(1) || (shown[0]?.[1] ?? -1) + 1) - 1, { focus: false });
`;
