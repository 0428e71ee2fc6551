import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { aroundTests } from '../support/around-tests.ts';
import { startUi, type Ui } from './support/ui.ts';

/** WCAG 1.4.11. */
const MIN_CONTRAST = 3;

/** The relative luminance of a colour such as `#1a1e26`, as WCAG defines it. */
function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrastOf(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** The theme's colour of that name. */
const colourOf = async (page: Page, name: string) =>
  await page.evaluate(
    (variable) => getComputedStyle(document.documentElement).getPropertyValue(variable),
    `--cw-${name}`,
  );

describe('the ring around what has the focus', () => {
  let ui: Ui;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
  });

  for (const scheme of ['light', 'dark'] as const) {
    it(`is easy to see on every background, in the ${scheme} scheme`, async () => {
      await using visit = await ui.visit('/profile');
      await visit.showScheme(scheme);
      const ring = await colourOf(visit.page, 'focus');
      for (const background of ['page', 'sidebar', 'surface', 'raised', 'hover', 'selected']) {
        const contrast = contrastOf(ring, await colourOf(visit.page, background));
        assert.ok(contrast >= MIN_CONTRAST, `${contrast.toFixed(2)} to 1 on ${background}`);
      }
    });

    it(`has that colour around links, buttons, boxes, switches and choices, in the ${scheme} scheme`, async () => {
      const webhook = { name: `Ring, ${scheme}`, topic: 'ACCOUNT', target_url: 'http://127.0.0.1:9/' };
      const { id } = await ui.service.api.create('/webhooks', webhook);
      await using visit = await ui.visit('/administration/integrations/webhooks');
      const { page } = visit;
      await visit.showScheme(scheme);
      const ring = await colourOf(page, 'focus');
      const rgb = `rgb(${[1, 3, 5].map((at) => Number.parseInt(ring.slice(at, at + 2), 16)).join(', ')})`;
      const looks = async (role: Parameters<typeof page.getByRole>[0], name: string | RegExp) => {
        const control = page.getByRole(role, { name });
        // Keys make the browser show the focus.
        await page.keyboard.press('Shift');
        await control.focus();
        return await control.evaluate((element) => {
          const drawn = element.matches('[role=switch], [type=radio]') ? element.nextElementSibling : element;
          const { outlineColor, outlineStyle } = getComputedStyle(drawn ?? element);
          return { outlineColor, outlineStyle };
        });
      };
      const expected = { outlineColor: rgb, outlineStyle: 'solid' };
      assert.deepEqual(await looks('link', 'Accounts'), expected);
      assert.deepEqual(await looks('link', webhook.name), expected);
      assert.deepEqual(await looks('button', /^Actions for .*Ring/), expected);
      assert.deepEqual(await looks('checkbox', /^Select .*Ring/), expected);
      assert.deepEqual(await looks('switch', /Ring/), expected);
      await visit.go(`/administration/integrations/webhooks/${id}`);
      assert.deepEqual(await looks('tab', 'Overview'), expected);
      assert.deepEqual(await looks('radio', 'Chart'), expected);
      await ui.service.api.delete(`/webhooks/${id}`);
    });
  }
});
