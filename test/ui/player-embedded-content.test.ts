import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { aroundTests } from '../support/around-tests.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';
import { newLearner } from './support/learner.ts';
import { sharedBrowser } from './support/shared-browser.ts';

const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
/** A widget of a course that needs its own script, style and picture. */
const WIDGET = `<!doctype html><title>Widget</title><link rel="stylesheet" href="widget.css">
  <p id="from-script"></p><img id="picture" src="picture.gif" alt=""><script src="widget.js"></script>`;

describe('a course that embeds other content', () => {
  let service: TestService;
  let browser: Browser;
  let site: Target;
  aroundTests(async (parts) => {
    site = parts.use(await startTarget());
    service = parts.use(await startTestService());
    browser = await sharedBrowser();
  });

  it('names its origin to other sites, as their videos require, but never its path', async () => {
    const { registrationId } = await registerTo(service, {
      ...scorm12Course(),
      'lesson/index.html': `<!doctype html><title>Lesson</title><link rel="stylesheet" href="fonts.css">
        <iframe src="${site.url}/video"></iframe><img src="${site.url}/picture" alt="">`,
      'lesson/fonts.css': `@import url(${site.url}/fonts);`,
    });
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    const isAbout = ({ path }: { path: string }) => ['/video', '/picture', '/fonts'].includes(path);
    await site.waitFor((requests) => requests.filter(isAbout).length === 3);
    const origin = new URL(learner.page.url()).origin;
    for (const { path, headers } of site.requests.filter(isAbout))
      assert.equal(headers.referer, `${origin}/`, path);
  });

  it('shows its own pages in sandboxed frames, which have no origin', async () => {
    const { registrationId } = await registerTo(service, {
      ...scorm12Course(),
      'lesson/index.html':
        '<!doctype html><title>Lesson</title><iframe name="widget" sandbox="allow-scripts" src="../widget/index.html">',
      'widget/index.html': WIDGET,
      'widget/widget.css': '#from-script { color: rgb(1, 2, 3); }',
      'widget/widget.js': "document.getElementById('from-script').textContent = 'from ' + origin;",
      'widget/picture.gif': PIXEL,
    });
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    const widget = learner.course.frameLocator('iframe[name=widget]');
    await widget.getByText('from null').waitFor();
    const shown = await widget.locator('body').evaluate(async () => {
      const picture = document.querySelector<HTMLImageElement>('#picture')!;
      await picture.decode();
      const words = document.querySelector('#from-script')!;
      return [picture.naturalWidth, getComputedStyle(words).color];
    });
    assert.deepEqual(shown, [1, 'rgb(1, 2, 3)']);
  });
});
