import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { airlineHooks } from '../../../examples/airline/hooks.ts';
import { airlineTools } from '../../../examples/airline/tools.ts';
import { HtmlReport } from '../../../src/cli/replay/html/html-report.ts';
import { STYLES } from '../../../src/cli/replay/html/styles.ts';
import { readTranscripts } from '../../../src/testing/replay/read-transcripts.ts';
import { type ReplayOptions, replay } from '../../../src/testing/replay/replay.ts';

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const isMissing = !existsSync(CHROMIUM) && process.env['CI'] !== 'true';
const name = isMissing
  ? 'the report in Chromium [skip: needs Chromium, run test/browser/install.sh]'
  : 'the report in Chromium';

// The machine may be busy with other tests, and a browser is not one process.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const folder = mkdtempSync(join(tmpdir(), 'report-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ten = join(import.meta.dirname, '../../../examples/airline/data/conversations.jsonl');

async function write(file: string, options: ReplayOptions): Promise<string> {
  const path = join(folder, file);
  const report = new HtmlReport(path, {
    hooks: 'new.ts',
    ...(options.against && { against: 'live.ts' }),
  });
  const run = replay(options);
  for await (const entry of run) report.add(entry);
  report.end(await run.report());
  report.close();
  return path;
}

const EVIL =
  "</script><script>document.title='owned'</script><img src=x onerror=document.title='owned'>";
const hostile = { id: EVIL, messages: [{ role: 'user', content: `${EVIL} \u202egnp.exe\u0000` }] };

let airline = '';
let compared = '';
let evil = '';

beforeAll(async () => {
  const conversations = (): ReplayOptions['conversations'] => readTranscripts(ten);
  const tools = airlineTools;
  airline = await write('airline.html', {
    hooks: airlineHooks,
    tools,
    conversations: conversations(),
  });
  const looser = airlineHooks.slice(1);
  compared = await write('compared.html', {
    hooks: looser,
    ...{ against: airlineHooks, tools, conversations: conversations() },
  });
  const file = join(folder, 'evil.jsonl');
  writeFileSync(file, `${JSON.stringify(hostile)}\n{"id": "cut\n`);
  const policy = { name: EVIL, onUserMessage: () => ({ type: 'block', reason: EVIL }) as const };
  evil = await write('evil.html', { hooks: [policy], conversations: readTranscripts(file) });
}, 60_000);

describe.skipIf(isMissing)(name, () => {
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];
  const requests: string[] = [];

  beforeAll(async () => {
    const args = `--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
      --disable-component-update --disable-sync`;
    browser = await chromium.launch({ executablePath: CHROMIUM, args: args.split(/\s+/) });
  }, 60_000);
  afterAll(() => browser?.close());
  afterEach(async () => {
    await page.close();
    expect(complaints.splice(0)).toEqual([]);
    // The page itself, and nothing else.
    expect(requests.splice(0)).toHaveLength(1);
  });

  async function open(path: string, colorScheme: 'light' | 'dark' = 'light'): Promise<void> {
    page = await browser.newPage({ colorScheme });
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('dialog', (dialog) => complaints.push(dialog.message()));
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(pathToFileURL(path).href);
  }

  const listed = (): Promise<string[]> => page.locator('#list .name').allTextContents();
  const focused = (): Promise<string> =>
    page.evaluate('document.activeElement.id || document.activeElement.textContent');

  test('filters by kind, policy and decision', async () => {
    await open(airline);
    expect(await listed()).toHaveLength(10);
    await page.locator('#kind').selectOption('diverged');
    expect(await listed()).toHaveLength(8);
    await page.locator('#policy').selectOption('CompensateOnRequest');
    expect(await listed()).toEqual(['airline-037', 'airline-196']);
    await page.locator('#decision').selectOption('requires-confirmation');
    expect(await listed()).toEqual(['airline-037']);
    expect(await page.locator('#count').textContent()).toBe('1 of 10 conversations');
    await page.locator('#kind').selectOption('broken');
    expect(await listed()).toEqual([]);
    expect(await page.locator('.empty').textContent()).toContain('No conversation');
  });

  test('finds words of the conversations and of the decisions, and marks them', async () => {
    await open(airline);
    await page.locator('#search').fill('3rk2t9 was booked');
    expect(await listed()).toEqual(['airline-041']);
    await page.locator('#list button').click();
    expect(await page.locator('mark').allTextContents()).toEqual(['3RK2T9 was booked']);
    await page.locator('#search').fill('did not ask for COMPENSATION');
    expect(await listed()).toEqual(['airline-037', 'airline-196']);
  });

  test('shows one conversation in full, each decision where it fell', async () => {
    await open(airline);
    await page.locator('#list button', { hasText: 'airline-163' }).click();
    const record = readFileSync(ten, 'utf8')
      .split('\n')
      .find((line) => line.includes('airline-163'));
    const { messages } = JSON.parse(record ?? '');
    expect(await page.locator('.message').count()).toBe(messages.length);
    expect(await page.locator('.message').first().textContent()).toBe(`user${messages[0].content}`);
    const notes = await page.locator('.note strong').allTextContents();
    expect(notes.filter((text) => text === 'block by KeepBasicEconomyFlights')).toHaveLength(3);
    // The one that diverged stands behind its call and before the answer of the record.
    const around = page.locator('.note').first();
    expect(await around.locator('xpath=preceding-sibling::*[1]').textContent()).toContain(
      'calls update_reservation_flights',
    );
    expect(await around.locator('xpath=following-sibling::*[1]').textContent()).toMatch(
      /^Diverged here: a call was blocked, by KeepBasicEconomyFlights/,
    );
    expect(await page.locator('.note.behind').count()).toBe(notes.length - 1);
  });

  test('shows differences side by side', async () => {
    await open(compared);
    await page.locator('#kind').selectOption('differences');
    await page.locator('#list button', { hasText: 'airline-050' }).click();
    const words = await page.locator('.pair').first().locator('> *').allTextContents();
    expect(words).toEqual(['hooks', 'nothing', 'against', 'retry-with-feedback by SpeakOrAct']);
    expect(await page.locator('#names').textContent()).toBe('new.ts against live.ts');
  });

  test.each<['light' | 'dark', string]>([
    ['light', 'rgb(246, 247, 249)'],
    ['dark', 'rgb(18, 22, 29)'],
  ])('is %s where the system is, and otherwise on demand', async (scheme, colour) => {
    await open(airline, scheme);
    const painted = (): Promise<string> =>
      page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(await painted()).toBe(colour);
    const others: string[] = [];
    for (const theme of ['light', 'dark', 'auto']) {
      await page.locator('#theme').click();
      expect(await page.locator('#theme').textContent()).toBe(`Theme: ${theme}`);
      others.push(await painted());
    }
    expect(others).toEqual(['rgb(246, 247, 249)', 'rgb(18, 22, 29)', colour]);
  });

  test('is used with the keyboard alone', async () => {
    await open(airline);
    await page.keyboard.press('/');
    expect(await focused()).toBe('search');
    await page.keyboard.type('certificate');
    const found = await listed();
    expect(found.length).toBeGreaterThan(2);
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toContain(found[0]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await focused()).toBe('conversation');
    expect(await page.locator('h2').textContent()).toBe(found[1]);
    await page.keyboard.press('j');
    expect(await page.locator('h2').textContent()).toBe(found[2]);
    await page.keyboard.press('k');
    expect(await page.locator('h2').textContent()).toBe(found[1]);
    await page.keyboard.press('Escape');
    expect(await focused()).toContain(found[1]);
    // Every control can be reached, in order, and shows that it has the focus.
    await page.locator('#theme').focus();
    const reached: string[] = [];
    for (let at = 0; at < 6; at += 1) {
      await page.keyboard.press('Tab');
      reached.push(await focused());
    }
    expect(reached.slice(1, 5)).toEqual(['search', 'kind', 'policy', 'decision']);
    const outline = 'getComputedStyle(document.activeElement).outlineStyle';
    expect(await page.evaluate(outline)).toBe('solid');
  });

  test('a link to a conversation opens it', async () => {
    await open(airline);
    await page.locator('#list button').nth(4).click();
    const address = page.url();
    await page.goto('about:blank');
    await page.goto(address);
    expect(await page.locator('h2').textContent()).toBe('airline-045');
    requests.splice(1);
  });

  test('nothing of a transcript is markup, and no character hides', async () => {
    await open(evil);
    expect(await page.title()).toBe('Replay');
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.locator('h2').textContent()).toBe(EVIL);
    expect(await page.locator('.message .text').textContent()).toBe(`${EVIL} U+202Egnp.exeU+0000`);
    expect(await page.locator('.note strong').textContent()).toBe(`block by ${EVIL}`);
    expect(await page.locator('#policy option').nth(1).textContent()).toBe(EVIL);
    await page.locator('#list button').nth(1).click();
    expect(await page.locator('.note').textContent()).toContain('no JSON, or not all of it');
  });
});

test('no tag of a transcript is in the file, and nothing in it is loaded', () => {
  const text = readFileSync(evil, 'utf8');
  expect(text.match(/<script/g)).toHaveLength(4);
  expect(text).not.toContain('<img');
  expect(text).not.toMatch(/<[^>]*(src|href)=/);
  expect(text).toContain("default-src 'none'");
});

test('every text can be read on its background, by day and by night', () => {
  const themes = [...STYLES.matchAll(/--page: [^}]*/g)].map(([block]) =>
    Object.fromEntries(
      [...block.matchAll(/--([\w-]+): (#\w{6})/g)].map(([, key, value]) => [key, value]),
    ),
  );
  expect(themes).toHaveLength(3);
  expect(themes[1]).toEqual(themes[2]);
  for (const theme of themes) {
    const pairs = [
      ...['text', 'soft'].flatMap((text) =>
        ['page', 'card', 'picked', 'code'].map((on) => [text, on]),
      ),
      ...['red', 'amber', 'violet', 'teal', 'green'].flatMap((text) => [
        ...['card', 'picked', `${text}-bg`].map((on) => [text, on]),
        ...['text', 'soft'].map((one) => [one, `${text}-bg`]),
      ]),
    ];
    const poor = pairs.filter(([text = '', on = '']) => contrast(theme[text], theme[on]) < 4.5);
    expect(poor).toEqual([]);
  }
});

function contrast(a = '#000000', b = '#000000'): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
