import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertNoColourFaults } from './support/axe.ts';
import { sharedBrowser } from './support/shared-browser.ts';

/** Pages may replace their elements at any time. This simulates a page that does so after each result, three times. */
async function checkWhileReplaced(body: string): Promise<void> {
  const page = await (await sharedBrowser()).newPage();
  try {
    await page.setContent(body);
    const evaluate = page.evaluate.bind(page);
    let replacements = 0;
    page.evaluate = async (script: unknown) => {
      const answer = await evaluate(script as string);
      if (replacements++ < 3) await evaluate('document.body.innerHTML = document.body.innerHTML');
      return answer as never;
    };
    await assertNoColourFaults(page, 'light');
  } finally {
    await page.close();
  }
}

describe('the check of colours', () => {
  it('passes text that is easy to read, though its element is replaced in the meantime', async () => {
    await checkWhileReplaced('<p class="easy" style="color: #000">Delivered</p>');
  });

  it('fails for text that is hard to read, though its element is replaced in the meantime', async () => {
    await assert.rejects(
      checkWhileReplaced('<p class="hard" style="color: #eee">Delivered</p>'),
      /color-contrast/,
    );
  });
});
