/**
 * Takes pictures of the admin UI with example data, in light and dark mode, for desktops and phones. Writes them to the
 * folder screenshots. `npm run screenshots -- profile webhooks` takes only those whose names contain one of the words.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { launchChromium } from '../test/ui/support/chromium.ts';
import { PHONE, startUiIn, type Ui } from '../test/ui/support/ui-in-browser.ts';
import { ACCOUNT_SCENES } from './screenshots/account-scenes.ts';
import { ALERT_SCENES } from './screenshots/alert-scenes.ts';
import { AUDIT_SCENES } from './screenshots/audit-scenes.ts';
import { CLIENT_SCENES } from './screenshots/client-scenes.ts';
import { CONTENT_SCENES } from './screenshots/content-scenes.ts';
import { DASHBOARD_SCENES } from './screenshots/dashboard-scenes.ts';
import { EVENT_SCENES } from './screenshots/event-scenes.ts';
import { fillService } from './screenshots/example-data.ts';
import { addPast } from './screenshots/example-past.ts';
import { PALETTE_SCENES } from './screenshots/palette-scenes.ts';
import type { Scene } from './screenshots/scene.ts';
import { SHELL_SCENES } from './screenshots/shell-scenes.ts';
import { SYSTEM_SCENES } from './screenshots/system-scenes.ts';
import { WEBHOOK_SCENES } from './screenshots/webhook-scenes.ts';

/** The pages, by area. */
const SCENES: readonly Scene[] = [
  ...SHELL_SCENES,
  ...PALETTE_SCENES,
  ...DASHBOARD_SCENES,
  ...SYSTEM_SCENES,
  ...WEBHOOK_SCENES,
  ...AUDIT_SCENES,
  ...EVENT_SCENES,
  ...CONTENT_SCENES,
  ...ACCOUNT_SCENES,
  ...CLIENT_SCENES,
  ...ALERT_SCENES,
];

const FOLDER = path.join(import.meta.dirname, '..', 'screenshots');
const DESK = { width: 1_440, height: 900 };
const SCHEMES = ['light', 'dark'] as const;

const words = process.argv.slice(2);
const chosen = SCENES.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
mkdirSync(FOLDER, { recursive: true });

await take(chosen.filter(({ empty }) => empty !== true));
await take(
  chosen.filter(({ empty }) => empty === true),
  { empty: true },
);

async function take(scenes: readonly Scene[], { empty = false } = {}): Promise<void> {
  if (scenes.length === 0) return;
  let announced = '';
  await using parts = new AsyncDisposableStack();
  const browser = parts.adopt(await launchChromium(), (each) => each.close());
  await using ui = await startUiIn(browser, {
    people: !empty,
    announce: (text) => {
      announced = text;
    },
    ...(empty ? {} : { settings: { retry_initial_delay: 30, retry_max_delay: 300 } }),
  });
  const data = empty ? null : await fillService(ui.service.api, parts);
  if (data !== null) await addPast(ui.service.settings.data_dir, data);
  for (const scene of scenes) {
    for (const phone of [false, true]) await takeScene(ui, scene, { phone, data, announced });
  }
}

async function takeScene(
  ui: Ui,
  { name, address, as = 'admin', act }: Scene,
  { phone, data, announced }: { phone: boolean } & Parameters<Exclude<Scene['address'], string>>[0],
): Promise<void> {
  const there = typeof address === 'string' ? address : address({ data, announced });
  await using visit = await ui.visit(there, { as, phone });
  const { page } = visit;
  await page.setViewportSize(phone ? PHONE : DESK);
  await page.waitForLoadState('networkidle');
  await act?.(page, phone);
  for (const scheme of SCHEMES) {
    await visit.showScheme(scheme);
    const file = `${name}-${scheme}-${phone ? 'phone' : 'desk'}.png`;
    await page.screenshot({
      path: path.join(FOLDER, file),
      fullPage: act === undefined,
      animations: 'disabled',
    });
    console.log(file);
  }
}
